/** A lost deal needs its reason. */
import { useState } from 'preact/hooks';
import { FormDialog } from '../base/dialog.tsx';
import { Field } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';

const REASON_MAX_CHARS = 80;
const { deals } = TEXT;

interface LostDialogProps {
  readonly onClose: () => void;
  readonly onReason: (reason: string) => void;
}

export function LostDialog({ onClose, onReason }: LostDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title={deals.lostTitle}
      confirm={deals.lostConfirm}
      busy={false}
      onClose={onClose}
      onConfirm={() => onReason(reason)}
    >
      <Field
        label={deals.lostReason}
        value={reason}
        onValue={setReason}
        maxLength={REASON_MAX_CHARS}
        required
      />
    </FormDialog>
  );
}
