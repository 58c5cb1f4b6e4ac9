/** One conversation: its head, the thread, and the composer. */

import { useEffect, useState } from 'preact/hooks';
import { isolated } from '../base/isolated.tsx';
import { Alert, Link } from '../base/parts.tsx';
import type { Read } from '../base/use-read.ts';
import { every } from '../clock.ts';
import { leftOf, phoneOf, timeOf } from '../format.ts';
import { typing } from '../live.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import { Actions } from './actions.tsx';
import { act, type Data, nameOf, type PanelConversation, type TeamMember } from './api.ts';
import { Composer } from './composer.tsx';
import { windowLeftMs } from './service-window.ts';
import { Thread } from './thread.tsx';

const MINUTE_MS = 60_000;

interface ThreadPaneProps {
  readonly read: Read<Data<PanelConversation>>;
  readonly conversation: PanelConversation | null;
  readonly team: readonly TeamMember[];
  readonly note: boolean;
  readonly onNote: (note: boolean) => void;
  readonly contactShown: boolean;
  readonly onContact: () => void;
}

export function ThreadPane({ read, conversation, team, ...rest }: ThreadPaneProps) {
  useReadMark(conversation);
  if (conversation === null) {
    return (
      <div class="pane thread-pane">
        <Link to="/conversas" class="button back">
          {TEXT.back}
        </Link>
        {read.refused ? (
          <Alert refused={read.refused} onAgain={read.again} />
        ) : (
          <p class="empty">{TEXT.loading}</p>
        )}
      </div>
    );
  }
  const { id, contact } = conversation;
  return (
    <section class="pane thread-pane" aria-label={nameOf(contact, phoneOf(contact.phone))}>
      <div class="thread-head">
        <Link to="/conversas" class="button back">
          {TEXT.back}
        </Link>
        <h2 class="cut">{nameOf(contact, phoneOf(contact.phone))}</h2>
        <Actions
          conversation={conversation}
          team={team}
          onContact={rest.onContact}
          contactShown={rest.contactShown}
        />
      </div>
      <Facts conversation={conversation} team={team} />
      <Thread conversationId={id} />
      <TypingLine conversationId={id} />
      <Composer key={id} conversation={conversation} note={rest.note} onNote={rest.onNote} />
    </section>
  );
}

/** A thread on screen counts as read. */
function useReadMark(conversation: PanelConversation | null): void {
  const { id, unread = 0 } = conversation ?? {};
  useEffect(() => {
    if (id === undefined || unread === 0 || !mayWrite()) return;
    const mark = () => {
      if (document.visibilityState === 'visible') void act(id, 'read');
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [id, unread]);
}

interface FactsProps {
  readonly conversation: PanelConversation;
  readonly team: readonly TeamMember[];
}

function Facts({ conversation, team }: FactsProps) {
  const { channel, status, assignedTo, automationPausedUntil } = conversation;
  useEveryMinute();
  const left = windowLeftMs(conversation);
  const { conversations } = TEXT;
  const assignee = team.find(({ id }) => id === assignedTo)?.name ?? conversations.formerMember;
  return (
    <p class="thread-facts small soft">
      <span>{channel.label}</span>
      <span>{conversations.statuses[status]}</span>
      <span>
        {assignedTo === null ? conversations.unassigned : conversations.assignedTo(assignee)}
      </span>
      {automationPausedUntil === null ? null : (
        <span>{TEXT.actions.pausedUntil(timeOf(automationPausedUntil))}</span>
      )}
      {left === null || left === 0 ? null : <span>{TEXT.window.open(leftOf(left))}</span>}
    </p>
  );
}

/** Renders the clock of the window anew. */
function useEveryMinute(): void {
  const [, setTicks] = useState(0);
  useEffect(() => every(MINUTE_MS, () => setTicks((ticks) => ticks + 1)), []);
}

function TypingLine({ conversationId }: { readonly conversationId: string }) {
  const names = typing.value
    .filter((each) => each.conversationId === conversationId)
    .map(({ member }) => isolated(member.name));
  return (
    <p class="typing small soft" role="status">
      {names.length === 0 ? null : TEXT.thread.typing(names)}
    </p>
  );
}
