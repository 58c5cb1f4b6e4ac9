/** An invitation: the new member gets a link by mail, and the admin another one to copy. */
import { useState } from 'preact/hooks';
import type { MemberRow } from '../../../../shared/provisioning/commands.ts';
import type { SentInvitation } from '../../../../shared/wire/person-commands.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside } from '../base/field-errors.ts';
import { Field, Select } from '../base/parts.tsx';
import { ProblemAlert } from '../base/problem-alert.tsx';
import { useChange } from '../base/use-change.ts';
import type { Data } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import { ROLE_OPTIONS } from './member-line.tsx';

interface Invitee extends MemberRow {
  readonly invitation: SentInvitation;
}

const NAME_MAX_CHARS = 120;
const { team } = TEXT;

export interface Invited extends SentInvitation {
  readonly email: string;
}

interface InviteDialogProps {
  readonly onClose: () => void;
  readonly onInvited: (invited: Invited) => void;
}

export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('attendant');
  const { busy, refused, make } = useChange('organization');
  const invite = async () => {
    const body = { name: name.trim(), email: email.trim(), role };
    const made = await make<Data<Invitee>>('/panel/api/members', { body });
    if (made) onInvited({ ...made.data.invitation, email: body.email });
  };
  return (
    <FormDialog
      title={team.inviteTitle}
      confirm={team.confirmInvite}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void invite()}
    >
      <Field
        label={team.name}
        value={name}
        onValue={setName}
        maxLength={NAME_MAX_CHARS}
        error={errorAt(refused, 'name')}
        required
      />
      <Field
        label={team.email}
        type="email"
        value={email}
        onValue={setEmail}
        error={errorAt(refused, 'email')}
        required
      />
      <Select label={team.role} value={role} onValue={setRole} options={ROLE_OPTIONS} />
      <ProblemAlert refused={errorBeside(refused, ['name', 'email'])} />
    </FormDialog>
  );
}
