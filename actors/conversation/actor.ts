/**
 * Actor of one conversation: routes a command to its decision, commits it, publishes its outbox.
 * The state here is a cache of the log's last entry.
 */
import type { Answer, Command, CommandOf } from '../../shared/ports/bus.ts';
import { DONE } from '../../shared/wire/answer.ts';
import { auditItems, type OutboxEvent, type OutboxItem } from '../../shared/wire/outbox.ts';
import { nudgeOf } from '../channel/sending/send-nudge.ts';
import { type ContactFacts, ensureContact } from '../contact/ensure-contact.ts';
import {
  type Appended,
  type ConversationState,
  newConversation,
} from '../domain/conversation/conversation.ts';
import { namedOperation } from '../domain/conversation/member-actions.ts';
import { runEndedBy, withoutEndedRun } from '../domain/flow-run.ts';
import type { EnsuredContact } from '../model/contact.ts';
import type { EntryDocument } from '../model/conversation.ts';
import { describe } from '../runtime/describe-fault.ts';
import { journalBarrier } from '../runtime/journal-barrier.ts';
import { type Actor, StaleState, type TurnContext } from '../runtime/kind.ts';
import { type Handlers, handlerOf } from '../runtime/turn.ts';
import { eventsOf } from './events.ts';
import { advanceFlow, endCall, startFlow, stopFlow } from './flow/engine.ts';
import type { Beginning } from './flow/flow-conversation.ts';
import { showTyping, updateTimer } from './flow/timers.ts';
import { ConversationLog, RecentEntries } from './log/log.ts';
import { recordCall, recordWelcome } from './turns/calls.ts';
import { cancelMessage } from './turns/cancel.ts';
import { type Cause, causeOf } from './turns/cause.ts';
import type { Conversation, ConversationParts } from './turns/conversation.ts';
import {
  answerJoining,
  assertHere,
  assertNumber,
  BelongsElsewhere,
  forwardConversation,
} from './turns/join.ts';
import { readMessage } from './turns/mark-read.ts';
import { MEMBER_ACTIONS } from './turns/member-actions.ts';
import { notePause } from './turns/note-pause.ts';
import {
  changeMessage,
  receiveNetworkMessage,
  recordArrivedMedia,
  recordReceipt,
} from './turns/receive.ts';
import { publishItems, republishPending } from './turns/republish.ts';
import { answerCheck, sendFallback, sendMessage } from './turns/send.ts';
import { SCHEDULE_COMMANDS } from './turns/settle.ts';

/** Commands about an entry stay with the entry's log, and those of a join with their receiver. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set<CommandOf<'conversation'>['type']>([
  'receipt',
  'media-arrived',
  'flow-timer',
  'join',
  'yield',
  'give-way',
  'absorb-conversation',
  'readdress',
  'settle-due',
  'cancel-message',
]);

/** Reports of what happened at the network: their answer is no more than its status. */
const NETWORK_COMMANDS = {
  inbound: acknowledging(receiveNetworkMessage),
  echo: acknowledging(receiveNetworkMessage),
  receipt: acknowledging(recordReceipt),
  call: acknowledging(recordCall),
  welcome: acknowledging(recordWelcome),
  'change-message': acknowledging(changeMessage),
  'media-arrived': acknowledging(recordArrivedMedia),
  'send-fallback': acknowledging(sendFallback),
  'note-pause': acknowledging(notePause),
} as const;

export class ConversationActor implements Actor<'conversation'>, Conversation {
  readonly id: string;
  readonly parts: ConversationParts;
  readonly log: ConversationLog;
  readonly recent = new RecentEntries();
  isNumberChecked = false;
  readonly epoch: number;
  #state: ConversationState | null | undefined;
  /** Request id of the turn under way. */
  #requestId: string | undefined;
  /** An audited command, until its first commit has recorded the person who asked it. */
  #command: Pick<Command, 'id' | 'by'> | null = null;
  /** Of the turn under way. */
  #cause: Cause = { origin: 'network', memberId: null };

  /** The previous turn met newer data than the snapshot: the state is loaded from the log. */
  readonly #stale: boolean;

  constructor(
    id: string,
    { epoch, stale }: { readonly epoch: number; readonly stale: boolean },
    parts: ConversationParts,
  ) {
    this.#stale = stale;
    this.id = id;
    this.parts = parts;
    this.epoch = epoch;
    this.log = new ConversationLog(parts, id);
  }

  async turn(command: CommandOf<'conversation'>, context: TurnContext): Promise<Answer> {
    this.#requestId = context.requestId;
    this.#cause = causeOf(command);
    // Reading changes nothing of others' work: entries of it would hide those that do (D237).
    const isReading = command.type === 'read' || command.type === 'read-message';
    this.#command = isReading ? null : asNamed(command);
    try {
      const elsewhere = await this.#joinedTo(command, context);
      if (elsewhere !== null) return forwardConversation(elsewhere, command);
      return await handlerOf(ConversationActor.#HANDLERS, command)(this, command, context);
    } catch (fault) {
      if (!(fault instanceof BelongsElsewhere)) throw fault;
      return forwardConversation(fault.key, command);
    }
  }

  /** Key of the older conversation that answers the command; null: this one answers. */
  async #joinedTo(
    command: CommandOf<'conversation'>,
    context: TurnContext,
  ): Promise<string | null> {
    if (NEVER_FORWARDED.has(command.type)) return null;
    const loaded = await this.load();
    const { joinedTo } = loaded ?? {};
    if (joinedTo === undefined) {
      await assertNumber(this, loaded, { command, context });
      return null;
    }
    // This conversation may have accepted it before it was joined.
    const isHere = context.repeat && (await this.log.entry(command.id)) !== null;
    return isHere ? null : joinedTo;
  }

  static readonly #HANDLERS: Handlers<'conversation', ConversationActor> = {
    send: sendMessage,
    'check-send': answerCheck,
    'read-message': readMessage,
    'cancel-message': cancelMessage,
    'start-flow': startFlow,
    'flow-timer': advanceFlow,
    'flow-call-ended': endCall,
    'stop-flow': stopFlow,
    join: answerJoining,
    yield: answerJoining,
    'give-way': answerJoining,
    'absorb-conversation': answerJoining,
    readdress: answerJoining,
    ...NETWORK_COMMANDS,
    ...SCHEDULE_COMMANDS,
    ...MEMBER_ACTIONS,
  };

  close(): void {
    this.log.close();
  }

  get orgId(): string | undefined {
    return this.#state?.orgId;
  }

  /** The state after the last entry; null while there is no conversation. */
  async load(): Promise<ConversationState | null> {
    if (this.#state === undefined) {
      this.#state = this.#stale ? await this.log.loadFromLog() : await this.log.loadSnapshot();
    }
    return this.#state;
  }

  async reload(): Promise<ConversationState | null> {
    this.#state = await this.log.loadFromLog();
    return this.#state;
  }

  /** Changes the state in memory without an entry; the next entry records it. */
  learn(known: Partial<Pick<ConversationState, 'networkId' | 'contact'>>): void {
    if (this.#state) this.#state = { ...this.#state, ...known };
  }

  /** Commits one decision, then publishes its outbox. Null: this decision was committed before. */
  async commit(entryId: string, accepted: Appended): Promise<EntryDocument | null> {
    const { snapshotWriter, relay } = this.parts;
    if (!snapshotWriter.hasCapacity) await snapshotWriter.waitForCapacity();
    if (!relay.hasCapacity) await relay.waitForCapacity();
    const before = this.#state ?? null;
    const state = withoutEndedRun(accepted.state);
    const { environment } = this.parts;
    const changed = { kind: 'conversation', id: this.id, orgId: state.orgId } as const;
    const audited = this.#command ? auditItems(environment, this.#command, changed) : [];
    const events = await eventsOf(this.parts, {
      ...{ id: entryId, before, after: state },
      ...{ cause: this.#cause, requestId: this.#requestId },
    });
    const items = [...accepted.outbox, ...events, ...audited];
    const outbox = relay.numbered(items, this.epoch);
    const ended = runEndedBy(before?.run ?? null, accepted);
    const appending = { ...accepted, state, outbox, ended };
    const entry = await this.log.append(entryId, appending, this.#requestId);
    if (!entry) {
      const committed = (await this.recoverEntry(entryId)) ?? (await this.log.isForeign(entryId));
      // The entry may not be on a majority yet: no answer may rest on it.
      if (!committed) throw new StaleState(`entry ${entryId}`);
      return null;
    }
    this.#state = state;
    this.#command = null;
    snapshotWriter.add(state, this.epoch, before);
    this.recent.keep(entry);
    this.hint(entry);
    // A message that is `sending` already needs no nudge: its channel claimed it on insert.
    if (entry.send?.state === 'queued') this.nudgeChannel(entry);
    // All that follows is the next owner's.
    if (this.log.isClosed) return entry;
    // A settlement is applied first: until then it stays pending.
    if (!entry.settles) this.publish(entry, entry.outbox ?? []);
    updateTimer(this.parts, before, entry);
    this.parts.dueMessages.accepted(entry);
    void showTyping(environment, before, entry);
    return entry;
  }

  /**
   * Recovers an entry after its turn lost the answer: the work after the commit may be missing.
   * Repeating that work does nothing. Null when there is no such entry.
   */
  async recoverEntry(entryId: string): Promise<EntryDocument | null> {
    const entry = await this.log.entry(entryId);
    if (!entry) return null;
    await journalBarrier(this.parts.environment.store);
    this.#state = await this.log.loadFromLog();
    if (this.#state) this.parts.snapshotWriter.add(this.#state, this.epoch);
    if (entry.send) this.nudgeChannel(entry);
    await republishPending(this.parts, this.id, this.epoch);
    return entry;
  }

  hint({ orgId, seq }: EntryDocument): void {
    this.parts.environment.live.changed(orgId, 'conversation', { id: this.id, seq });
  }

  nudgeChannel(entry: EntryDocument): void {
    const to = { kind: 'channel', key: entry.channelId } as const;
    this.parts.environment.bus.nudge(to, nudgeOf(entry));
  }

  publish(entry: EntryDocument, outbox: readonly OutboxItem[]): void {
    const { epoch, parts } = this;
    const { snapshotWriter, environment } = parts;
    const ids = outbox.map((item) => item.id);
    if (outbox.length === 0) {
      if (entry.pending !== undefined) snapshotWriter.markPublished({ entry, ids, epoch });
      return;
    }
    const findEarlier = (event: OutboxEvent) => parts.unpublishedEvents.before(this.id, event);
    publishItems(parts, { entry, epoch }, outbox, findEarlier).then(
      (acknowledged) => {
        if (acknowledged) snapshotWriter.markPublished({ entry, ids, epoch });
      },
      (fault: unknown) => environment.log.error({ error: describe(fault) }, 'publish failed'),
    );
  }

  /** The contact, created if it is missing; a profile name fills an empty one. */
  ensureContact(facts: ContactFacts, context: TurnContext): Promise<EnsuredContact> {
    return ensureContact(this.parts.environment, facts, context);
  }

  async begin(beginning: Beginning, context: TurnContext): Promise<ConversationState> {
    const { command, contactId: id, source } = beginning;
    const { orgId, channelId, phone } = command;
    const { origin } = command;
    const facts = { id, orgId, phone: phone ?? '', profileName: null, source, origin };
    const contact = await this.ensureContact(facts, context);
    assertHere(this, null, { command, asked: id, contact });
    const identity = { id: this.id, orgId, channelId, contact, networkId: null };
    return newConversation(identity, this.parts.environment.clock.now());
  }
}

/** People's log names what a call has changed, where that is one thing. */
function asNamed(command: CommandOf<'conversation'>): Pick<Command, 'id' | 'by'> {
  const { id, by } = command;
  const operation = command.type === 'change' ? namedOperation(command) : null;
  return by && operation !== null ? { id, by: { ...by, operation } } : command;
}

function acknowledging<Sent>(
  run: (conversation: Conversation, command: Sent, context: TurnContext) => Promise<unknown>,
) {
  return async (conversation: Conversation, command: Sent, context: TurnContext) => {
    await run(conversation, command, context);
    return DONE;
  };
}
