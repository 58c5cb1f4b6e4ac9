/** Files that wait for the next message: each with name, size, progress, and a way to remove it. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Isolated, isolated } from '../../base/isolated.tsx';
import { Alert } from '../../base/parts.tsx';
import { useFocusSuccessor } from '../../base/use-focus-successor.ts';
import { sizeOf } from '../../format.ts';
import { TEXT } from '../../sentences.ts';
import { type AttachedFile, AttachedFiles } from '../state/attached-files.ts';

/** A message takes one file: so many messages go at once. */
const FILES_MAX = 10;
const { composer } = TEXT;

/** @param key another one begins without a file */
export function useAttachments(key: string, max = FILES_MAX): AttachedFiles {
  const attached = useMemo(() => new AttachedFiles(max), [key]);
  useEffect(() => () => attached.clear(), [attached]);
  return attached;
}

interface AttachmentsProps {
  readonly attached: AttachedFiles;
  /** They were to be sent before all were there. */
  readonly early: boolean;
  /** The last one was removed, and had the focus. */
  readonly onEmpty?: () => void;
}

export function Attachments({ attached, early, onEmpty }: AttachmentsProps) {
  const files = attached.list.value;
  const isRefused = files.some(({ refused }) => refused !== null);
  return (
    <>
      {files.length === 0 ? null : (
        <ul class="attachments" aria-label={composer.files}>
          {files.map((file) => (
            <Line key={file.id} {...{ file, attached, onEmpty }} alone={files.length === 1} />
          ))}
        </ul>
      )}
      <p class={attached.left.value > 0 || early ? 'warning' : 'spoken'} role="status">
        {attached.left.value > 0 ? composer.filesLeft(FILES_MAX, attached.left.value) : ''}
        {early ? ` ${isRefused ? composer.refusedFile : composer.stillUploading}` : ''}
      </p>
    </>
  );
}

interface LineProps extends Pick<AttachmentsProps, 'attached'> {
  readonly file: AttachedFile;
  readonly alone: boolean;
  readonly onEmpty: (() => void) | undefined;
}

function Line({ file, attached, alone, onEmpty }: LineProps) {
  const { id, name, sizeBytes, percent, mediaId, refused } = file;
  const line = useRef<HTMLLIElement>(null);
  useFocusSuccessor(line, 'section', () => {
    if (attached.list.peek().length === 0) onEmpty?.();
  });
  const shown = isolated(name);
  return (
    <li ref={line} class="attachment">
      <div class="chip">
        <span class="cut">
          <Isolated text={name} />
        </span>
        <span class="soft">{sizeOf(sizeBytes)}</span>
        {mediaId === null && !refused ? (
          <progress max={100} value={percent} aria-label={composer.uploading(shown, percent)} />
        ) : null}
        <button
          type="button"
          class="button small quiet"
          aria-label={alone ? composer.removeOnlyFile(shown) : composer.removeFile(shown)}
          title={alone ? composer.removeOnlyFile(shown) : composer.removeFile(shown)}
          onClick={() => attached.remove(id)}
        >
          ×
        </button>
      </div>
      <Alert refused={refused} onAgain={() => attached.again(id)} />
    </li>
  );
}
