/** Dialog of a key's token or a subscription's secret, which is shown this once. */
import { CopyBlock, CopyLine } from '../base/copy.tsx';
import { Dialog } from '../base/dialog.tsx';
import { TEXT } from '../sentences.ts';

const { keys } = TEXT;

export interface Once {
  readonly title: string;
  readonly lead: string;
  readonly label: string;
  readonly secret: string;
  /** A call that uses it. */
  readonly curl?: string;
}

interface ShownOnceProps {
  readonly once: Once;
  readonly onClose: () => void;
}

export function ShownOnce({ once, onClose }: ShownOnceProps) {
  const { title, lead, label, secret, curl } = once;
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <p class="notice" role="status">
          {lead}
        </p>
        <CopyLine label={label} text={secret} />
        {curl === undefined ? null : <CopyBlock label={keys.tryIt} text={curl} />}
        <div class="form-end">
          <button type="button" class="button main" onClick={onClose}>
            {keys.done}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
