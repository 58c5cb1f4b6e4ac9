/** Actions of a member in a conversation besides writing. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { isolated } from '../base/isolated.tsx';
import { Menu } from '../base/menu.tsx';
import { Alert } from '../base/parts.tsx';
import { useChangesInTurn } from '../base/use-change.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite, session } from '../session.ts';
import {
  activeIn,
  conversationPath,
  type PanelConversation,
  type TeamMember,
} from './state/api.ts';

const PAUSE_MINUTES = 60;
const { actions } = TEXT;

type Action = 'assign' | 'resolve' | 'reopen' | 'pause' | 'resume';

interface ActionsProps {
  readonly conversation: PanelConversation;
  readonly team: readonly TeamMember[];
  readonly paused: boolean;
  readonly onContact: () => void;
  readonly contactShown: boolean;
}

/** True for roles that do what the command line does in a conversation. */
function mayAct(): boolean {
  return mayWrite() || session.value?.role === 'operator';
}

export function Actions({ conversation, team, paused, onContact, contactShown }: ActionsProps) {
  const { id, status } = conversation;
  const { refused, make } = useChangesInTurn('conversation', id);
  const run = (action: Action, body: Readonly<Record<string, unknown>> = {}) => {
    void make(`${conversationPath(id)}/${action}`, { body });
  };
  const resolved = status === 'resolved';
  return (
    <>
      {mayAct() ? (
        <>
          <AssignMenu
            conversation={conversation}
            team={team}
            assign={(memberId) => run('assign', { memberId })}
          />
          <button
            type="button"
            class="button"
            aria-keyshortcuts="e"
            onClick={() => run(resolved ? 'reopen' : 'resolve')}
          >
            {resolved ? actions.reopen : actions.resolve}
          </button>
          <button
            type="button"
            class="button"
            onClick={() => (paused ? run('resume') : run('pause', { minutes: PAUSE_MINUTES }))}
          >
            {paused ? actions.resume : actions.pause}
          </button>
        </>
      ) : null}
      <ContactButton shown={contactShown} onContact={onContact} />
      <Alert refused={refused} />
    </>
  );
}

interface ContactButtonProps extends Pick<ActionsProps, 'onContact'> {
  readonly shown: boolean;
}

/** It takes the focus that the contact had when it was closed. */
function ContactButton({ shown, onContact }: ContactButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!shown) return;
    return () => {
      if (document.activeElement === document.body) button.current?.focus();
    };
  }, [shown]);
  return (
    <button ref={button} type="button" class="button" aria-pressed={shown} onClick={onContact}>
      {actions.contact}
    </button>
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
    itemOf(
      id,
      id === own ? `${isolated(name)} (${actions.assignMe.toLowerCase()})` : isolated(name),
    ),
  );
  return (
    <Menu
      label={actions.assign}
      shortcut="a"
      items={[...members, itemOf(null, actions.assignNobody)]}
    />
  );
}
