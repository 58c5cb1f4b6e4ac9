/** The file of a message, uploaded anew: the one of a message belongs to that message. */
import type { Message } from '../../../../../shared/api/message.ts';
import { located, lost, type Outcome } from '../../base/call.ts';
import { TEXT } from '../../sentences.ts';
import { type UploadedFile, upload } from './upload.ts';

type File = NonNullable<Message['media']>;

export async function uploadAgain(media: File): Promise<Outcome<UploadedFile>> {
  const source = located(`/api/v1/media/${encodeURIComponent(media.id)}`);
  try {
    const answer = await fetch(source);
    if (!answer.ok) return { ok: false, refused: fileLost(answer.status) };
    const bytes = await answer.blob();
    const file = new File([bytes], media.fileName ?? TEXT.thread.file, { type: media.mimeType });
    return await upload(file, () => undefined).done;
  } catch {
    return { ok: false, refused: lost(false) };
  }
}

function fileLost(status: number) {
  return { status, sentence: TEXT.acts.fileLost, issues: [] };
}
