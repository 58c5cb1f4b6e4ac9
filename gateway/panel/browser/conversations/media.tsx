/** File of a message: a picture or a player where that is safe and useful, else a link. */
import { useState } from 'preact/hooks';
import type { Message } from '../../../../shared/api/message.ts';
import { located } from '../base/call.ts';
import { Dialog } from '../base/dialog.tsx';
import { Isolated, isolated } from '../base/isolated.tsx';
import { sizeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';

const { thread } = TEXT;
/** Types that a page shows; any other file is a link that saves it. */
const IMAGE = /^image\/(jpeg|png|gif|webp)$/;
const AUDIO = /^audio\//;
const VIDEO = /^video\//;
/** The networks' own bound of a picture; a larger one would slow down the page of its reader. */
const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

type File = NonNullable<Message['media']>;

export function Media({ media }: { readonly media: File }) {
  const { mimeType, sizeBytes, url } = media;
  const [broken, setBroken] = useState(false);
  if (url === null) return <p class="soft">{thread.pendingMedia}</p>;
  // The server's own path only: its public address may be another origin.
  const source = located(`/api/v1/media/${encodeURIComponent(media.id)}`);
  const given = { src: source, onError: () => setBroken(true) };
  if (broken) return <SavedFile media={media} source={source} />;
  if (IMAGE.test(mimeType) && (sizeBytes ?? 0) <= IMAGE_MAX_BYTES) {
    return <Picture media={media} given={given} />;
  }
  if (AUDIO.test(mimeType)) {
    return <audio {...given} controls preload="none" aria-label={thread.audio} />;
  }
  if (VIDEO.test(mimeType)) {
    return <video {...given} controls preload="none" aria-label={thread.video} />;
  }
  return <SavedFile media={media} source={source} />;
}

interface PictureProps {
  readonly media: File;
  readonly given: { readonly src: string; readonly onError: () => void };
}

/** A press shows it large, in this page: a page of its own would be styled against its policy. */
function Picture({ media, given }: PictureProps) {
  const [large, setLarge] = useState(false);
  const name = thread.image(isolated(media.fileName ?? thread.file));
  return (
    <>
      <button type="button" class="picture-button" onClick={() => setLarge(true)}>
        <img {...given} alt={name} loading="lazy" />
      </button>
      {large ? (
        <Dialog title={name} onClose={() => setLarge(false)}>
          <img {...given} class="picture" alt={name} />
          <SavedFile media={media} source={given.src} />
        </Dialog>
      ) : null}
    </>
  );
}

interface SavedFileProps {
  readonly media: File;
  readonly source: string;
}

/** The name is shown in the order of its characters: its ending is what it seems to be. */
function SavedFile({ media: { fileName, sizeBytes }, source }: SavedFileProps) {
  return (
    <a class="button" href={source} download={fileName ?? ''}>
      <span class="cut">
        <Isolated text={fileName ?? thread.file} />
      </span>
      {sizeBytes === null ? null : <span class="soft small">{sizeOf(sizeBytes)}</span>}
    </a>
  );
}
