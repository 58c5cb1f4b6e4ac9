/** One conversation: its head, the thread, and the composer. */

import { useEffect } from 'preact/hooks';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Alert, Link } from '../base/parts.tsx';
import { place } from '../base/router.ts';
import { useMinutes } from '../base/use-minutes.ts';
import type { Read } from '../base/use-read.ts';
import { now } from '../clock.ts';
import { fullTimeOf, isoDayOf, leftOf, phoneOf, timeOf, today } from '../format.ts';
import { typing } from '../live.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import { Actions } from './actions.tsx';
import { Composer } from './composer/composer.tsx';
import { Scheduled } from './scheduled.tsx';
import {
  assigneeName,
  type Data,
  markRead,
  nameOf,
  type PanelConversation,
  type TeamMember,
} from './state/api.ts';
import { pausedUntil } from './state/pause.ts';
import { windowLeftMs } from './state/service-window.ts';
import { told } from './state/told.ts';
import { Thread } from './thread.tsx';

interface ThreadPaneProps {
  readonly read: Read<Data<PanelConversation>>;
  readonly conversation: PanelConversation | null;
  readonly team: readonly TeamMember[];
  readonly note: boolean;
  readonly onNote: (note: boolean) => void;
  readonly contactShown: boolean;
  /** The contact lies over it. */
  readonly covered: boolean;
  readonly onContact: () => void;
}

export function ThreadPane({ read, conversation, team, ...rest }: ThreadPaneProps) {
  useReadMark(conversation);
  useMinutes(conversation?.automationPausedUntil ?? null);
  useMinutes(conversation?.windowExpiresAt ?? null);
  if (conversation === null) return <Unread read={read} />;
  const { id, contact } = conversation;
  const paused = pausedUntil(conversation.automationPausedUntil, now());
  const name = nameOf(contact, phoneOf(contact.phone));
  return (
    <section class="pane thread-pane" aria-label={isolated(name)} inert={rest.covered}>
      <div class="thread-head">
        <Back />
        <h2 class="cut">
          <Isolated text={name} />
        </h2>
        <Actions
          key={id}
          conversation={conversation}
          team={team}
          paused={paused !== null}
          onContact={rest.onContact}
          contactShown={rest.contactShown}
        />
      </div>
      <Facts
        conversation={conversation}
        team={team}
        paused={paused}
        leftMs={windowLeftMs(conversation)}
      />
      <Thread conversation={conversation} />
      <Scheduled conversationId={id} />
      <p class="told small soft" role="status">
        {told.value}
      </p>
      <TypingLine conversationId={id} />
      <Composer
        key={id}
        conversation={conversation}
        outside={windowLeftMs(conversation) === 0}
        note={rest.note}
        onNote={rest.onNote}
      />
    </section>
  );
}

function Unread({ read }: Pick<ThreadPaneProps, 'read'>) {
  return (
    <div class="pane thread-pane">
      <Back />
      {read.refused ? (
        <Alert refused={read.refused} onAgain={read.again} />
      ) : (
        <p class="empty">{TEXT.loading}</p>
      )}
    </div>
  );
}

/** The list keeps its filters, which stand in the address. */
function Back() {
  return (
    <Link to={`/conversas${place.value.search}`} class="button back">
      {TEXT.back}
    </Link>
  );
}

/** A thread on screen counts as read. */
function useReadMark(conversation: PanelConversation | null): void {
  const { id, unread = 0 } = conversation ?? {};
  useEffect(() => {
    if (id === undefined || unread === 0 || !mayWrite()) return;
    const mark = () => {
      if (document.visibilityState === 'visible') void markRead(id);
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [id, unread]);
}

interface FactsProps {
  readonly conversation: PanelConversation;
  readonly team: readonly TeamMember[];
  readonly paused: string | null;
  readonly leftMs: number | null;
}

function Facts({ conversation, team, paused, leftMs }: FactsProps) {
  const { channel, status, assignedTo } = conversation;
  const { conversations } = TEXT;
  return (
    <p class="thread-facts small soft">
      <span>
        <Isolated text={channel.label} />
      </span>
      <span>{conversations.statuses[status]}</span>
      <span>
        {assignedTo === null
          ? conversations.unassigned
          : conversations.assignedTo(isolated(assigneeName(team, assignedTo)))}
      </span>
      {paused === null ? null : <span>{TEXT.actions.pausedUntil(timeOrDayOf(paused))}</span>}
      {leftMs === null || leftMs === 0 ? null : <span>{TEXT.window.open(leftOf(leftMs))}</span>}
    </p>
  );
}

/** The time of today, the full time of another day. */
function timeOrDayOf(at: string): string {
  return isoDayOf(at) === today() ? timeOf(at) : fullTimeOf(at);
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
