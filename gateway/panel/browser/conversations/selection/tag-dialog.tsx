/** One tag for the contacts of all selected conversations. */
import { useState } from 'preact/hooks';
import { FormDialog } from '../../base/dialog.tsx';
import { Field } from '../../base/parts.tsx';
import { SELECTION } from '../../sentences/selection.ts';
import { TEXT } from '../../sentences.ts';

const TAG_MAX_CHARS = 40;

interface TagDialogProps {
  readonly count: number;
  readonly onClose: () => void;
  readonly onTag: (tag: string) => void;
}

export function TagDialog({ count, onClose, onTag }: TagDialogProps) {
  const [written, setWritten] = useState('');
  const [error, setError] = useState<string>();
  const confirm = () => {
    const tag = written.trim();
    if (tag === '') return setError(SELECTION.noTag);
    onClose();
    onTag(tag);
  };
  return (
    <FormDialog
      title={SELECTION.tag}
      confirm={SELECTION.tag}
      busy={false}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Field
        label={TEXT.people.tag}
        value={written}
        onValue={setWritten}
        maxLength={TAG_MAX_CHARS}
        error={error}
        required
      />
      <p class="small soft">{SELECTION.tagOf(count)}</p>
    </FormDialog>
  );
}
