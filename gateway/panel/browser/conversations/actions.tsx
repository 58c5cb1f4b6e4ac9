/** Actions of a member in a conversation besides writing. */

import { useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Menu } from '../base/menu.tsx';
import { Alert } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import { mayWrite, session } from '../session.ts';
import { act, activeIn, type PanelConversation, type TeamMember } from './api.ts';

const PAUSE_MINUTES = 60;
const { actions } = TEXT;

interface ActionsProps {
  readonly conversation: PanelConversation;
  readonly team: readonly TeamMember[];
  readonly onContact: () => void;
  readonly contactShown: boolean;
}

export function Actions({ conversation, team, onContact, contactShown }: ActionsProps) {
  const [refused, setRefused] = useState<Refused | null>(null);
  const run = async (...given: Parameters<typeof act>) => {
    const outcome = await act(...given);
    setRefused(outcome.ok ? null : outcome.refused);
  };
  const { id, status, automationPausedUntil } = conversation;
  const resolved = status === 'resolved';
  const paused = automationPausedUntil !== null;
  return (
    <>
      {mayWrite() ? (
        <>
          <AssignMenu
            conversation={conversation}
            team={team}
            assign={(memberId) => void run(id, 'assign', { memberId })}
          />
          <button
            type="button"
            class="button"
            aria-keyshortcuts="e"
            onClick={() => void run(id, resolved ? 'reopen' : 'resolve')}
          >
            {resolved ? actions.reopen : actions.resolve}
          </button>
          <button
            type="button"
            class="button"
            onClick={() =>
              void (paused ? run(id, 'resume') : run(id, 'pause', { minutes: PAUSE_MINUTES }))
            }
          >
            {paused ? actions.resume : actions.pause}
          </button>
        </>
      ) : null}
      <button type="button" class="button" aria-pressed={contactShown} onClick={onContact}>
        {actions.contact}
      </button>
      <Alert refused={refused} />
    </>
  );
}

interface AssignMenuProps extends Pick<ActionsProps, 'conversation' | 'team'> {
  readonly assign: (memberId: string | null) => void;
}

function AssignMenu({ conversation, team, assign }: AssignMenuProps) {
  const own = session.value?.member?.id;
  const { assignedTo } = conversation;
  const itemOf = (memberId: string | null, text: string) => ({
    key: memberId ?? 'none',
    text,
    chosen: assignedTo === memberId,
    choose: () => assign(memberId),
  });
  const members = activeIn(team).map(({ id, name }) =>
    itemOf(id, id === own ? `${isolated(name)} (${actions.assignMe.toLowerCase()})` : name),
  );
  return (
    <Menu
      label={actions.assign}
      shortcut="a"
      items={[...members, itemOf(null, actions.assignNobody)]}
    />
  );
}
