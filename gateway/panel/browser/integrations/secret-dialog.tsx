/** A subscription's secret, shown this once. */
import { CopyLine } from '../base/copy.tsx';
import { Dialog } from '../base/dialog.tsx';
import { TEXT } from '../sentences.ts';

const { integrations, keys } = TEXT;

export interface ShownSecret {
  readonly secret: string;
  readonly title: string;
  readonly lead: string;
}

interface SecretDialogProps {
  readonly shown: ShownSecret;
  readonly onClose: () => void;
}

export function SecretDialog({ shown, onClose }: SecretDialogProps) {
  return (
    <Dialog title={shown.title} onClose={onClose}>
      <div class="form">
        <p class="notice" role="status">
          {shown.lead}
        </p>
        <CopyLine label={integrations.secret} text={shown.secret} />
        <div class="form-end">
          <button type="button" class="button main" onClick={onClose}>
            {keys.done}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
