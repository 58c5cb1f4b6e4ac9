/** Screen "Equipe": members and their roles, open sessions, the audit log. */
import { useState } from 'preact/hooks';
import type { MemberRow } from '../../../../shared/provisioning/commands.ts';
import { CopyLine } from '../base/copy.tsx';
import { Alert } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import type { Data } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import { AuditLog } from './audit-log.tsx';
import { InviteDialog, type Invited } from './invite-dialog.tsx';
import { MemberLine } from './member-line.tsx';
import { Sessions } from './sessions.tsx';

const { team } = TEXT;

export function Team() {
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<Invited | null>(null);
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{team.title}</h1>
        <button type="button" class="button main" onClick={() => setInviting(true)}>
          {team.invite}
        </button>
      </header>
      <p role="status" class={invited ? 'notice' : 'spoken'}>
        {invited ? noticeOf(invited) : ''}
      </p>
      {invited ? <CopyLine label={team.link} text={invited.url} /> : null}
      <Members />
      <Sessions />
      <AuditLog />
      {inviting ? (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInvited(made);
            setInviting(false);
          }}
        />
      ) : null}
    </div>
  );
}

/** The link below it is shown this once. */
function noticeOf({ email, mailed }: Invited): string {
  return mailed ? team.invited(email) : team.notMailed;
}

function Members() {
  const read = useRead<Data<readonly MemberRow[]>>('/panel/api/members', {
    kinds: ['organization'],
  });
  const members = read.body?.data ?? [];
  return (
    <section class="block">
      <h2>{team.members}</h2>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && members.length === 0 ? <p class="soft">{team.noMembers}</p> : null}
      <ul class="lines" aria-label={team.members}>
        {members.map((member) => (
          <MemberLine key={member.id} member={member} />
        ))}
      </ul>
    </section>
  );
}
