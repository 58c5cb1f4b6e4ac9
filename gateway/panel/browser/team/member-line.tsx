/** One member: role and access change in place. */

import { useState } from 'preact/hooks';
import type { MemberRow } from '../../../../shared/provisioning/commands.ts';
import { MEMBER_ROLES, type MemberRole } from '../../../../shared/vocabulary.ts';
import { FormDialog } from '../base/dialog.tsx';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Alert, Select } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import { TEXT } from '../sentences.ts';
import { session } from '../session.ts';

const { team, roles } = TEXT;

export const ROLE_OPTIONS = MEMBER_ROLES.map((role) => [role, roles[role]] as const);

export function MemberLine({ member }: { readonly member: MemberRow }) {
  const { id, name, email, role, disabled } = member;
  const { busy, refused, make } = useChange('organization');
  const [asking, setAsking] = useState(false);
  const change = async (body: { readonly role?: MemberRole; readonly disabled?: boolean }) => {
    await make(`/panel/api/members/${encodeURIComponent(id)}`, { body });
    setAsking(false);
  };
  return (
    <li>
      <div class="grow">
        <p class="strong">
          <Isolated text={name} />{' '}
          {session.value?.member?.id === id ? <span class="tag">{team.you}</span> : null}{' '}
          {disabled ? <span class="tag">{team.disabled}</span> : null}
        </p>
        <p class="soft small">
          <Isolated text={email ?? ''} />
        </p>
      </div>
      <Select
        quiet
        label={team.roleOf(isolated(name))}
        value={role}
        onValue={(value) => {
          const chosen = MEMBER_ROLES.find((each) => each === value);
          if (chosen) void change({ role: chosen });
        }}
        options={ROLE_OPTIONS}
      />
      <button
        type="button"
        class="button"
        aria-disabled={busy}
        aria-label={`${disabled ? team.enable : team.disable}: ${isolated(name)}`}
        onClick={() => (disabled ? void change({ disabled: false }) : setAsking(true))}
      >
        {disabled ? team.enable : team.disable}
      </button>
      <Alert refused={refused} />
      {asking ? (
        <FormDialog
          title={team.disableTitle(isolated(name))}
          asks
          confirm={team.disable}
          busy={busy}
          onClose={() => setAsking(false)}
          onConfirm={() => void change({ disabled: true })}
        >
          <p>{team.disableText}</p>
        </FormDialog>
      ) : null}
    </li>
  );
}
