/**
 * Actor of one conversation: routes a command to its decision, commits it, publishes its outbox.
 * The state here is a cache of the log's last entry.
 */

import { contactId as contactIdOf } from '../../shared/entity-ids.ts';
import { renderFailure } from '../../shared/failures.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { SendMessage, StartFlow } from '../../shared/wire/commands.ts';
import type { CheckSend } from '../../shared/wire/media-commands.ts';
import { isMemberAction } from '../../shared/wire/member-action.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import type { SendNudge } from '../channel/commands.ts';
import type { EnsuredContact } from '../contact/commands.ts';
import {
  type Appended,
  type ConversationState,
  decideSend,
  newConversation,
  refuseTarget,
  type SendTarget,
} from '../domain/conversation.ts';
import { withoutEndedRun } from '../domain/flow/run.ts';
import type { FlowCallEnded, FlowTimer, StopFlow } from '../flow/commands.ts';
import { advanceFlow, endCall, startFlow, stopFlow } from '../flow/engine.ts';
import { blockFlow, updateTimer } from '../flow/entry-timer.ts';
import { type Actor, StaleState, type TurnContext } from '../runtime/actor.ts';
import { describe } from '../runtime/describe-fault.ts';
import { journalBarrier } from '../runtime/journal-barrier.ts';
import { recordArrivedMedia } from './arrived-media.ts';
import { changeMessage } from './change-message.ts';
import {
  type ChangeMessageCommand,
  isJoining,
  type MediaArrived,
  type NetworkMessageCommand,
  type ReceiptCommand,
} from './commands.ts';
import type { Conversation, ConversationParts } from './conversation.ts';
import type { EntryDocument } from './documents.ts';
import { type ContactFacts, ensureContact } from './ensure-contact.ts';
import {
  answerJoining,
  assertHere,
  assertNumber,
  BelongsElsewhere,
  forwardConversation,
} from './join.ts';
import { ConversationLog } from './log.ts';
import { answerMemberAction } from './member-actions.ts';
import { receiveNetworkMessage } from './receive.ts';
import { RecentEntries } from './recent-entries.ts';
import { recordReceipt } from './record-receipt.ts';

const JSON_OK: Answer = { status: 200, body: '{}' };
const ENTRY_COMMANDS: ReadonlySet<string> = new Set(['receipt', 'media-arrived', 'flow-timer']);

export class ConversationActor implements Actor, Conversation {
  readonly id: string;
  readonly parts: ConversationParts;
  readonly log: ConversationLog;
  readonly recent = new RecentEntries();
  readonly #epoch: number;
  #state: ConversationState | null | undefined;
  /** Request id of the turn under way. */
  #requestId: string | undefined;

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
    this.#epoch = epoch;
    this.log = new ConversationLog(parts, id);
  }

  async turn(command: Command, context: TurnContext): Promise<Answer> {
    this.#requestId = context.requestId;
    try {
      const elsewhere = await this.#joinedTo(command, context);
      if (elsewhere === null) return await this.#answer(command, context);
      return forwardConversation(elsewhere, command);
    } catch (fault) {
      if (!(fault instanceof BelongsElsewhere)) throw fault;
      return forwardConversation(fault.key, command);
    }
  }

  /**
   * Key of the older conversation that answers the command; null: this one answers. Commands about
   * an entry stay with the entry's log.
   */
  async #joinedTo(command: Command, context: TurnContext): Promise<string | null> {
    if (ENTRY_COMMANDS.has(command.type) || isJoining(command)) return null;
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

  async #answer(command: Command, context: TurnContext): Promise<Answer> {
    switch (command.type) {
      case 'send':
        return this.#send(command as unknown as SendMessage, context);
      case 'check-send':
        return this.#check(command as unknown as CheckSend);
      case 'inbound':
      case 'echo':
        await receiveNetworkMessage(this, command as NetworkMessageCommand, context);
        return JSON_OK;
      case 'receipt':
        await recordReceipt(this, command as ReceiptCommand);
        return JSON_OK;
      case 'change-message':
        await changeMessage(this, command as ChangeMessageCommand);
        return JSON_OK;
      case 'media-arrived':
        await recordArrivedMedia(this, command as MediaArrived);
        return JSON_OK;
      case 'start-flow':
        return startFlow(this, command as unknown as StartFlow, context);
      case 'flow-timer':
        return advanceFlow(this, command as FlowTimer);
      case 'flow-call-ended':
        return endCall(this, command as FlowCallEnded);
      case 'stop-flow':
        return stopFlow(this, command as StopFlow);
      default:
        if (isJoining(command)) return answerJoining(this, command, context);
        if (isMemberAction(command)) return answerMemberAction(this, command, context);
        throw new TypeError(`a conversation knows no command ${command.type}`);
    }
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
    if (!snapshotWriter.hasRoom) await snapshotWriter.waitForRoom();
    if (!relay.hasRoom) await relay.waitForRoom();
    const before = this.#state ?? null;
    const state = withoutEndedRun(accepted.state);
    const entry = await this.log.append(entryId, { ...accepted, state }, this.#requestId);
    if (!entry) {
      const committed = (await this.recoverEntry(entryId)) ?? (await this.log.isForeign(entryId));
      // The entry may not be on a majority yet: no answer may rest on it.
      if (!committed) throw new StaleState(`entry ${entryId}`);
      return null;
    }
    this.#state = state;
    snapshotWriter.add(state, this.#epoch, before);
    this.recent.keep(entry);
    // A message that is `sending` already needs no nudge: its channel claimed it on insert.
    if (entry.send?.state === 'queued') this.nudgeChannel(entry);
    this.publish(entry, entry.outbox ?? []);
    updateTimer(this.parts, before, entry);
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
    if (this.#state) this.parts.snapshotWriter.add(this.#state, this.#epoch);
    if (entry.send) this.nudgeChannel(entry);
    this.publish(entry, entry.outbox ?? []);
    return entry;
  }

  nudgeChannel(entry: EntryDocument): void {
    const { outbox: _published, ...queued } = entry;
    const { channelId, conversationId, seq, _id } = entry;
    const settled = entry.send === undefined;
    const nudge: SendNudge = {
      channelId,
      conversationId,
      entryId: _id,
      seq,
      at: entry.after.at,
      settled,
      ...(settled ? {} : { entry: queued }),
    };
    this.parts.environment.bus.nudge({ kind: 'channel', key: channelId }, nudge);
  }

  publish(entry: EntryDocument, outbox: readonly OutboxItem[]): void {
    const { relay, snapshotWriter, environment } = this.parts;
    const epoch = this.#epoch;
    const ids = outbox.map((item) => item.id);
    if (outbox.length === 0) {
      if (entry.pending !== undefined) snapshotWriter.markPublished({ entry, ids, epoch });
      return;
    }
    const release = blockFlow(this.parts, entry, outbox);
    const published = relay.publish(entry.orgId, outbox).finally(release);
    published.then(
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

  async #send(command: SendMessage, context: TurnContext): Promise<Answer> {
    if (context.repeat && (await this.recoverEntry(command.id))) return this.#accepted(command);
    const loaded = await this.#loadFor(command);
    const refusal = refuseTarget(loaded, command);
    if (refusal) return renderFailure(refusal);
    const { clock } = this.parts.environment;
    const state = loaded ?? (await this.#begin(command, context));
    const accepted = decideSend(
      state,
      {
        text: command.text || null,
        kind: command.attached?.kind ?? 'text',
        media: command.attached?.media ?? null,
        authorLabel: command.authorLabel,
        origin: command.origin,
      },
      clock.now(),
    );
    await this.commit(command.id, accepted);
    return this.#accepted(command);
  }

  /** Whether a send to this target would be refused; the send itself decides again. */
  async #check(target: CheckSend): Promise<Answer> {
    const refusal = refuseTarget(await this.#loadFor(target), target);
    return refusal ? renderFailure(refusal) : JSON_OK;
  }

  /** A send that names its conversation reads the log too, where the snapshot is missing. */
  async #loadFor({ byConversation }: SendTarget): Promise<ConversationState | null> {
    const loaded = await this.load();
    if (loaded || !byConversation) return loaded;
    const found = await this.reload();
    if (found?.joinedTo) throw new BelongsElsewhere(found.joinedTo);
    return found;
  }

  /** State of a new conversation; its contact must exist before the first entry (C4.9). */
  async #begin(command: SendMessage, context: TurnContext): Promise<ConversationState> {
    const { ids, clock } = this.parts.environment;
    const phone = command.phone ?? '';
    const id = contactIdOf(ids, command.orgId, phone);
    const { orgId, channelId } = command;
    const facts = { id, orgId, phone, profileName: null, source: 'api' as const };
    const contact = await this.ensureContact(facts, context);
    assertHere(this, null, { command, asked: id, contact });
    return newConversation(
      { id: this.id, orgId, channelId, contact, networkId: null },
      clock.now(),
    );
  }

  #accepted(command: SendMessage): Answer {
    // Ids consist of A-Za-z0-9_- only and need no escaping.
    const body = `{"data":{"messageId":"${command.id}","conversationId":"${this.id}","channelId":"${command.channelId}"}}`;
    return { status: 201, body };
  }
}
