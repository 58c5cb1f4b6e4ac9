/** The file of the next message: it is uploaded at once, and sent with the message. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Refused } from '../../base/call.ts';
import { Isolated, isolated } from '../../base/isolated.tsx';
import { TEXT } from '../../sentences.ts';
import { type Upload, upload } from '../state/upload.ts';

interface AttachedFile {
  readonly name: string;
  readonly percent: number;
  /** Null while it is on its way. */
  readonly mediaId: string | null;
}

export interface Attachment {
  readonly file: AttachedFile | null;
  /** More than one was given; the first of them is attached. */
  readonly several: boolean;
  readonly refused: Refused | null;
  readonly take: (files: FileList | undefined) => void;
  readonly remove: () => void;
}

/** @param key another one begins without a file */
export function useAttachment(key: string): Attachment {
  const [file, setFile] = useState<AttachedFile | null>(null);
  const [several, setSeveral] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const current = useRef<Upload | null>(null);
  const remove = () => {
    const before = current.current;
    current.current = null;
    before?.cancel();
    setFile(null);
    setRefused(null);
    setSeveral(false);
  };
  useEffect(() => remove, [key]);
  const take = (files: FileList | undefined) => {
    const [first] = files ?? [];
    if (!first) return;
    remove();
    setSeveral((files?.length ?? 0) > 1);
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
  return { file, several, refused, take, remove };
}

interface AttachedProps {
  readonly attachment: Attachment;
  /** It was to be sent before it was there. */
  readonly early: boolean;
}

export function Attached({ attachment, early }: AttachedProps) {
  const { file, several, remove } = attachment;
  if (file === null) return null;
  const name = isolated(file.name);
  return (
    <>
      <div class="chip">
        <span class="cut">
          <Isolated text={file.name} />
        </span>
        {file.mediaId === null ? (
          <progress
            max={100}
            value={file.percent}
            aria-label={TEXT.composer.uploading(name, file.percent)}
          />
        ) : null}
        <button
          type="button"
          class="button small quiet"
          aria-label={TEXT.composer.removeFile(name)}
          onClick={remove}
        >
          ×
        </button>
      </div>
      {several ? (
        <p class="warning" role="status">
          {TEXT.composer.oneFile}
        </p>
      ) : null}
      {early ? (
        <p class="warning" role="status">
          {TEXT.composer.stillUploading}
        </p>
      ) : null}
    </>
  );
}
