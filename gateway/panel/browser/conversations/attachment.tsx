/** The file of the next message: it is uploaded at once, and sent with the message. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { TEXT } from '../sentences.ts';
import { type Upload, upload } from './upload.ts';

interface AttachedFile {
  readonly name: string;
  readonly percent: number;
  /** Null while it is on its way. */
  readonly mediaId: string | null;
}

export interface Attachment {
  readonly file: AttachedFile | null;
  readonly refused: Refused | null;
  readonly take: (files: FileList | undefined) => void;
  readonly remove: () => void;
}

/** @param key another one begins without a file */
export function useAttachment(key: string): Attachment {
  const [file, setFile] = useState<AttachedFile | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const current = useRef<Upload | null>(null);
  const remove = () => {
    const before = current.current;
    current.current = null;
    before?.cancel();
    setFile(null);
    setRefused(null);
  };
  useEffect(() => remove, [key]);
  const take = (files: FileList | undefined) => {
    const [first] = files ?? [];
    if (!first) return;
    remove();
    const { name } = first;
    const started = upload(first, (percent) => {
      if (current.current === started) setFile({ name, percent, mediaId: null });
    });
    current.current = started;
    setFile({ name, percent: 0, mediaId: null });
    void started.done.then((outcome) => {
      if (current.current !== started) return;
      if (outcome.ok) setFile({ name, percent: 100, mediaId: outcome.body.mediaId });
      else {
        setFile(null);
        setRefused(outcome.refused);
      }
    });
  };
  return { file, refused, take, remove };
}

export function Attached({ attachment }: { readonly attachment: Attachment }) {
  const { file, remove } = attachment;
  if (file === null) return null;
  return (
    <div class="chip">
      <span class="cut">{file.name}</span>
      {file.mediaId === null ? (
        <progress
          max={100}
          value={file.percent}
          aria-label={TEXT.composer.uploading(file.name, file.percent)}
        />
      ) : null}
      <button
        type="button"
        class="button small quiet"
        aria-label={TEXT.composer.removeFile(file.name)}
        onClick={remove}
      >
        ×
      </button>
    </div>
  );
}
