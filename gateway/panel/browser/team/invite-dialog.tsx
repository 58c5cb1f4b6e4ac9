/** An invitation: the new member gets a link by mail. */
import { useState } from 'preact/hooks';
import { FormDialog } from '../base/dialog.tsx';
import { Alert, Field, Select } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import { TEXT } from '../sentences.ts';
import { ROLE_OPTIONS } from './member-line.tsx';

const NAME_MAX_CHARS = 120;
const { team } = TEXT;

interface InviteDialogProps {
  readonly onClose: () => void;
  readonly onInvited: (email: string) => void;
}

export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('attendant');
  const { busy, refused, make } = useChange('organization');
  const invite = async () => {
    const body = { name: name.trim(), email: email.trim(), role };
    if (await make('/panel/api/members', { body })) onInvited(body.email);
  };
  return (
    <FormDialog
      title={team.inviteTitle}
      confirm={team.confirmInvite}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void invite()}
    >
      <Field label={team.name} value={name} onValue={setName} maxLength={NAME_MAX_CHARS} required />
      <Field label={team.email} type="email" value={email} onValue={setEmail} required />
      <Select label={team.role} value={role} onValue={setRole} options={ROLE_OPTIONS} />
      <Alert refused={refused} />
    </FormDialog>
  );
}
