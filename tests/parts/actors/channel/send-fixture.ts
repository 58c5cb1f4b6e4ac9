/**
 * The actors of one process over a store whose commits the test holds, and a scripted network.
 */

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Environment } from '../../../../actors/environment.ts';
import { createKinds } from '../../../../actors/kinds.ts';
import type { EntryDocument } from '../../../../actors/model/conversation.ts';
import { journalBarrier } from '../../../../actors/runtime/journal-barrier.ts';
import type { Kind } from '../../../../actors/runtime/kind.ts';
import { Mailbox } from '../../../../actors/runtime/mailbox.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import { isLogEvent, LOG_EVENT } from '../../../../shared/log-events.ts';
import type { Address, Answer, Command, CommandOf } from '../../../../shared/ports/bus.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type {
  NetworkChannel,
  NetworkDriver,
  OutboundText,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import type { WriteOutcome } from '../../../../shared/ports/store.ts';
import type { SendMessage } from '../../../../shared/wire/commands.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Filter, FindOptions, Store, Stored, Write } from '../../../support/plain-store.ts';
import { UNHEARD } from '../../../support/unheard.ts';

/** The network takes it and never answers. */
export const NEVER = () => new Promise<SendOutcome>(() => undefined);

export function accepted({ messageId }: OutboundText): SendOutcome {
  return { outcome: 'accepted', externalId: `ext_${messageId}` };
}

const CHANNEL = 'chn_1';
const ORG = 'org_1';
const TIMEOUT_MS = 60_000;
/** So many turns of the event loop let everything happen that needs no time. */
const TURNS = 30;
const STEP_MS = 50;

const quiet = (): void => undefined;
const CONTACT = { phone: '5511998877665', name: null };

export interface Transmission {
  readonly text: string;
  readonly messageId: string;
  readonly conversationId: string;
  /** Monotonic milliseconds. */
  readonly at: number;
  /** The message's agenda on record at that moment, and the number of writes until then. */
  readonly send: EntryDocument['send'];
  readonly writes: number;
  /** The network id that the sender chose for the message. */
  readonly ownId: string | undefined;
}

export class SendFixture {
  readonly clock = new ManualClock();
  readonly database = new Database();
  readonly transmissions: Transmission[] = [];
  /** Messages whose turn was logged, those of one line together. */
  readonly turns: (readonly string[])[] = [];
  /** Of the actors, in order, as soon as they were asked for. */
  readonly writes: Write[] = [];
  /** Messages that the network received but should not have. */
  readonly faults: unknown[] = [];
  answer: (message: OutboundText) => SendOutcome | Promise<SendOutcome> = accepted;
  ownIdOf: (messageId: string) => string | null = () => null;
  /** False: they are lost on their way. */
  nudges = true;
  /** Stands before each insert into the log; what it does instead of `carryOut` is done. */
  inserting: (carryOut: () => void) => Promise<void> | void = (carryOut) => carryOut();
  /** Abilities of the network beside taking texts. */
  driver: Partial<NetworkDriver> = {};
  #lookingUp: Promise<void> | null = null;
  #kinds: readonly Kind[] = [];
  #mailboxes = new Map<string, Mailbox>();
  readonly #journaled = new Set<string>();
  #life = { now: true };
  #epoch = 0;
  #made = 0;

  static async opened(pace: Partial<typeof PACE> = {}): Promise<SendFixture> {
    const fixture = new SendFixture();
    fixture.configure({ pace: { ...PACE, ...pace } });
    await fixture.own();
    return fixture;
  }

  /** One that has sent before. */
  static async warm(pace: Partial<typeof PACE> = {}): Promise<SendFixture> {
    const fixture = await SendFixture.opened(pace);
    await fixture.send('cnv_warm', 'primeira');
    await fixture.pass(1_000);
    fixture.transmissions.length = 0;
    fixture.writes.length = 0;
    return fixture;
  }

  configure(more: object): void {
    const entry = { id: CHANNEL, label: 'Vendas', provider: 'web', phone: '551140001000' };
    const channel = { ...entry, enabled: true, network: {}, secrets: {}, pace: PACE, ...more };
    this.database.apply({ remove: 'organizations', filter: { _id: ORG } });
    const document = { _id: ORG, country: 'BR', channels: [channel] };
    this.database.apply({ insert: 'organizations', document });
  }

  /** A new owner of everything; the one before is silent from now on, as after a crash. */
  async own(): Promise<void> {
    this.#life.now = false;
    this.#life = { now: true };
    this.#epoch++;
    this.#kinds = createKinds(this.#environment(this.#life), ['conversation', 'channel']);
    this.#mailboxes = new Map();
    for (let number = 0; number < PARTITIONS; number++) {
      void this.#kinds[0]?.acquire?.(number, this.#epoch);
    }
    void this.#channel.acquire?.(this.#partition, this.#epoch);
    await this.settle();
  }

  /** Flushes the snapshot writer, so that the next owner finds each conversation as it is. */
  async writeSnapshots(): Promise<void> {
    await this.#kinds[0]?.flush?.(0);
  }

  /** The channel's owner releases it; the next owner is another process. */
  async handOff(): Promise<void> {
    await this.#channel.flush?.(this.#partition);
    this.#channel.release?.(this.#partition);
  }

  /** Sends a message; resolves with the answer, which may need time. */
  send(
    conversationId: string,
    text: string,
    id = `msg_${++this.#made}`,
    more: Pick<SendMessage, 'bulk'> & Pick<Command, 'by'> = {},
  ): Promise<Answer | null> {
    const send = { id, type: 'send', channelId: CHANNEL, origin: 'api' } as const;
    const said = { orgId: ORG, phone: CONTACT.phone, authorLabel: 'ERP' };
    const scope = { byConversation: false, channelScope: false };
    return this.#ask(conversationId, { ...send, ...said, ...scope, text, ...more });
  }

  /** Cancels a message; resolves with the status. */
  async cancel(conversationId: string, messageId: string): Promise<number | undefined> {
    const named = { id: `cmd_${++this.#made}`, type: 'cancel-message', messageId } as const;
    const command = { ...named, orgId: ORG, channelScope: null };
    return (await this.#ask(conversationId, command))?.status;
  }

  /** The network posts a webhook, whose events the driver tells. */
  async hook(): Promise<number | undefined> {
    const hook = { id: 'cmd_hook', type: 'webhook', provider: 'web', headers: {} } as const;
    const deadline = this.clock.now() + TIMEOUT_MS;
    const context = { deadline, repeat: false, epoch: this.#epoch };
    const channel = this.#channel.open(CHANNEL, this.#epoch, false);
    return (await channel.sharedHandler?.({ ...hook, rawBody: '' }, context))?.status;
  }

  /** As `recado doctor` is told of late messages. */
  late() {
    return this.#channel.lateWebhooks?.() ?? [];
  }

  entries(): readonly EntryDocument[] {
    return this.database.all('entries') as readonly EntryDocument[];
  }

  /** An insert of it was answered for, or it was written to since. */
  isJournaled(messageId: string): boolean {
    return this.#journaled.has(messageId);
  }

  texts(): string[] {
    return this.transmissions.map(({ text }) => text);
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < TURNS; turns++) await turn();
  }

  async pass(ms: number, stepMs = STEP_MS): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }

  get #partition(): number {
    return partitionOf('channel', CHANNEL);
  }

  get #channel(): Kind {
    const [, channel] = this.#kinds;
    assert.ok(channel?.kind === 'channel');
    return channel;
  }

  #ask(key: string, command: CommandOf): Promise<Answer | null> {
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    const address: Address = { kind: 'conversation', key };
    const deadline = this.clock.now() + TIMEOUT_MS;
    this.#mailbox(key).post({ address, command, deadline, repeat: false, answer: resolve });
    return promise;
  }

  #mailbox(key: string): Mailbox {
    const known = this.#mailboxes.get(key);
    if (known) return known;
    const [kind = assert.fail(), life, epoch] = [this.#kinds[0], this.#life, this.#epoch];
    const made = new Mailbox(key, {
      ...{ clock: this.clock, log: SILENT, live: UNHEARD, epoch },
      ...{ onTurn: quiet, onInDoubt: quiet, onDisposable: quiet, forward: quiet },
      leaseHeld: () => life.now,
      journalBarrier: () => journalBarrier(modelStore(this.database)),
      open: (_key, stale) => kind.open(key, epoch, stale),
    });
    this.#mailboxes.set(key, made);
    return made;
  }

  get #store(): Store {
    const model = modelStore(this.database);
    return {
      ...model,
      findOne: async <T extends Stored>(collection: string, filter: Filter, more?: FindOptions) => {
        if (collection === 'entries' && 'seq' in filter) await this.#lookingUp;
        return model.findOne<T>(collection, filter, more);
      },
      commit: async (writes) => {
        this.writes.push(...writes);
        const [first] = writes;
        const appends = first && 'insert' in first && first.insert === 'entries';
        const outcomes = await (appends ? this.#append(writes) : model.commit(writes));
        writes.forEach((write, index) => void this.#note(write, outcomes[index]));
        return outcomes;
      },
    };
  }

  /** Inserts are executed at once, and answered when the returned function is called. */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.inserting = (carryOut) => {
      carryOut();
      return promise;
    };
    return resolve;
  }

  /** Inserts are executed when the returned function is called. */
  holdInserts(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.inserting = (carryOut) => promise.then(carryOut);
    return resolve;
  }

  /** Reads of a place of a log are executed when the returned function is called. */
  holdLookUps(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lookingUp = promise;
    return resolve;
  }

  async #append(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    let outcomes: readonly WriteOutcome[] | undefined;
    await this.inserting(() => {
      outcomes = writes.map((write) => this.database.apply(write));
    });
    if (!outcomes) throw new Error('the store could not say whether it wrote');
    return outcomes;
  }

  #noteTurn({ messageIds }: Readonly<Record<string, unknown>>, message: string): void {
    if (!isLogEvent(message, LOG_EVENT.sendTurn)) return;
    assert.ok(Array.isArray(messageIds));
    this.turns.push(messageIds);
  }

  /** A write is journaled once it is answered, with all writes before it. */
  #note(write: Write, outcome: WriteOutcome | undefined): void {
    if (outcome?.ok !== true) return;
    if ('insert' in write) this.#journaled.add(write.document._id);
    if ('update' in write) this.#journaled.add(String(write.filter._id));
  }

  async #transmit(message: OutboundText): Promise<SendOutcome> {
    const { messageId, text } = message;
    const entry = this.entries().find(({ _id }) => _id === messageId);
    const { conversationId = '', send } = entry ?? {};
    const at = this.clock.monotonic();
    const writes = this.writes.length;
    const { ownId } = message;
    this.transmissions.push({ text, messageId, conversationId, at, send, writes, ownId });
    try {
      return await this.answer(message);
    } catch (fault) {
      this.faults.push(fault);
      throw fault;
    }
  }

  #environment(life: { readonly now: boolean }): Environment {
    const driver = {
      ownIdOf: (_: NetworkChannel, messageId: string) => this.ownIdOf(messageId),
      status: async () => ({ ready: true }),
      sendText: (_: NetworkChannel, message: OutboundText) => this.#transmit(message),
      ...this.driver,
    };
    const bus = {
      ask: async ({ kind, key }: Address, command: CommandOf): Promise<Answer> => {
        const contact = { status: 200, body: JSON.stringify({ ...CONTACT, id: key }) };
        if (kind === 'contact') return contact;
        if (kind !== 'conversation') return { status: 200, body: '{}' };
        return (await this.#ask(key, command)) ?? { status: 503, body: '{}' };
      },
      nudge: ({ kind }: Address, payload: unknown) => {
        if (kind === 'channel' && this.nudges) this.#channel.nudge?.(this.#partition, payload);
      },
      answerAll: quiet,
    };
    const ids = createIds(Buffer.alloc(32, 7));
    const log: Log = { ...SILENT, debug: (fields, message) => this.#noteTurn(fields, message) };
    const parts = { clock: this.clock, store: this.#store, log, live: UNHEARD, bus, ids };
    const networks = { driver: () => driver };
    const environment = { ...parts, networks, settings: {}, leaseHeld: () => life.now };
    return environment as unknown as Environment;
  }
}

const PACE = { perSecond: 1_000, pairBurst: 1_000, pairEveryMs: 1 };
