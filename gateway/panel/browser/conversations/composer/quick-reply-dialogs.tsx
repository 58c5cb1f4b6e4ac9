/** Quick replies are kept, and removed. */
import { useState } from 'preact/hooks';
import { Dialog, FormDialog } from '../../base/dialog.tsx';
import { errorAt, errorBeside } from '../../base/field-errors.ts';
import { Isolated, isolated } from '../../base/isolated.tsx';
import { Alert, Field } from '../../base/parts.tsx';
import { useChange } from '../../base/use-change.ts';
import { TEXT } from '../../sentences.ts';
import { type QuickReply, REPLIES_PATH } from '../state/quick-replies.ts';

const TITLE_MAX_CHARS = 60;
const { composer } = TEXT;

interface KeepDialogProps {
  readonly text: string;
  readonly onClose: () => void;
}

export function KeepDialog({ text, onClose }: KeepDialogProps) {
  const [title, setTitle] = useState('');
  const { busy, refused, make } = useChange('organization');
  const save = async () => {
    if (await make(REPLIES_PATH, { body: { title, text } })) onClose();
  };
  return (
    <FormDialog
      title={composer.keepQuickReply}
      confirm={TEXT.save}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <Field
        label={composer.quickReplyTitle}
        value={title}
        onValue={setTitle}
        maxLength={TITLE_MAX_CHARS}
        error={errorAt(refused, 'title')}
        required
      />
      <p class="soft bubble-text">{text}</p>
      <p class="small soft">{composer.quickReplyHint}</p>
      <Alert refused={errorBeside(refused, ['title'])} />
    </FormDialog>
  );
}

interface RemoveDialogProps {
  readonly replies: readonly QuickReply[];
  readonly onClose: () => void;
}

export function RemoveDialog({ replies, onClose }: RemoveDialogProps) {
  const { busy, refused, make } = useChange('organization');
  return (
    <Dialog title={composer.removeQuickReplies} onClose={onClose}>
      {replies.length === 0 ? <p class="soft">{composer.noQuickReplies}</p> : null}
      <ul class="form">
        {replies.map(({ id, title }) => (
          <li key={id} class="row">
            <span class="grow cut">
              <Isolated text={title} />
            </span>
            <button
              type="button"
              class="button small"
              aria-disabled={busy}
              aria-label={composer.removeQuickReply(isolated(title))}
              onClick={() => void make(`${REPLIES_PATH}/${encodeURIComponent(id)}/remove`)}
            >
              {composer.remove}
            </button>
          </li>
        ))}
      </ul>
      <Alert refused={refused} />
    </Dialog>
  );
}
