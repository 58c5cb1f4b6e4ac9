/** Actions of a member in a conversation besides writing. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Menu } from '../base/menu.tsx';
import { Alert } from '../base/parts.tsx';
import { useChangesInTurn } from '../base/use-change.ts';
import { now } from '../clock.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite, session } from '../session.ts';
import { changePath, type PanelConversation, type TeamMember } from './state/api.ts';
import { assigneesIn } from './state/assignees.ts';

const MINUTE_MS = 60_000;
const PAUSE_MINUTES = 60;
const { actions } = TEXT;

interface ActionsProps {
  readonly conversation: PanelConversation;
  readonly team: readonly TeamMember[];
  readonly paused: boolean;
  readonly onContact: () => void;
  readonly contactShown: boolean;
}

/** On a whole minute: a second press asks for the same, and does nothing. */
function pauseEnd(): string {
  const minute = Math.ceil(now() / MINUTE_MS) * MINUTE_MS;
  return new Date(minute + PAUSE_MINUTES * MINUTE_MS).toISOString();
}

/** True for roles that do what the command line does in a conversation. */
function mayAct(): boolean {
  return mayWrite() || session.value?.role === 'operator';
}

export function Actions({ conversation, team, paused, onContact, contactShown }: ActionsProps) {
  const { id, status } = conversation;
  const { refused, make } = useChangesInTurn('conversation', id);
  const change = (body: Readonly<Record<string, unknown>>) => {
    void make(changePath(id), { body });
  };
  const resolved = status === 'resolved';
  return (
    <>
      {mayAct() ? (
        <>
          <AssignMenu
            conversation={conversation}
            team={team}
            assign={(assignedTo) => change({ assignedTo })}
          />
          <button
            type="button"
            class="button"
            aria-keyshortcuts="e"
            onClick={() => change({ status: resolved ? 'open' : 'resolved' })}
          >
            {resolved ? actions.reopen : actions.resolve}
          </button>
          <button
            type="button"
            class="button"
            onClick={() => change({ automationPausedUntil: paused ? null : pauseEnd() })}
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
  const items = assigneesIn(team).map(({ id, text }) => ({
    key: id ?? 'none',
    text,
    chosen: conversation.assignedTo === id,
    choose: () => assign(id),
  }));
  const empty = <p class="empty">{actions.noTeam}</p>;
  return <Menu label={actions.assign} shortcut="a" items={items} empty={empty} />;
}
