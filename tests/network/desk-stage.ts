/**
 * A desk on a stage of its own: a clock that the test moves, a network that says what the test
 * says, a store that keeps only what a desk writes, and conversations that take every receipt.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Desk } from '../../actors/channel/desk.ts';
import type { ChannelSendAgenda } from '../../actors/channel/round.ts';
import { nothingSeen } from '../../actors/channel/seen.ts';
import type { EntryDocument } from '../../actors/conversation/documents.ts';
import type { Receipt } from '../../actors/domain/receipt.ts';
import type {
  DoubtfulSend,
  NetworkDriver,
  OutboundText,
  Readiness,
  SendOutcome,
  SentLookup,
} from '../../shared/network.ts';
import type { Command, Document, Store, Write } from '../../shared/ports.ts';
import { givenConversation, givenOutbound } from '../domain/message-given.ts';
import { SILENT } from '../fences/engine.ts';
import { ManualClock } from '../gateway/manual-clock.ts';

const CHANNEL = 'chn_1';
const PACE = { perSecond: 1_000, pairBurst: 1_000, pairEveryMs: 1 };

interface Kept extends Document {
  readonly conversationId: string;
  readonly seq: number;
  readonly text: string;
  send: ChannelSendAgenda | undefined;
  externalId: string | undefined;
}

/** What the network is told, and what it says. */
interface NetworkSays {
  /** What was handed to it, with the time since the start. */
  readonly handed: { readonly text: string; readonly atMs: number }[];
  readonly looked: DoubtfulSend[];
  answer: (message: OutboundText) => SendOutcome | Promise<SendOutcome>;
  lookUp: (message: DoubtfulSend) => SentLookup;
  readiness: Readiness;
}

export interface DeskStage extends NetworkSays {
  readonly desk: Desk;
  readonly clock: ManualClock;
  /** The process has lost its lease, or has joined anew. */
  alive: boolean;
  /** Whether conversations take receipts; without, asks fail. */
  takesReceipts: boolean;
  /** As the organization configured the channel. */
  enabled: boolean;
  /** The store cannot tell the configuration. */
  unreadable: boolean;
  readonly receipts: readonly { readonly messageId: string; readonly receipt: Receipt }[];
  readonly reports: readonly Readiness[];
  /** Queues a message; `send` is what its agenda differs in. */
  queue(conversationId: string, text: string, send?: Partial<ChannelSendAgenda>): string;
  /** The same process owns the channel again, under the next epoch. */
  reopen(): Desk;
  agendaOf(messageId: string): ChannelSendAgenda | undefined;
  statusOf(messageId: string): string | undefined;
  errorOf(messageId: string): Receipt['error'];
  texts(): string[];
  /** How often an entry was read from the store. */
  reads(): number;
  /** Lets time pass in steps, and everything that follows happen. */
  pass(ms: number): Promise<void>;
}

export const ACCEPT = (message: OutboundText): SendOutcome => ({
  outcome: 'accepted',
  externalId: `ext-${message.messageId}`,
});

/**
 * `lookUps`: whether the network can be asked what became of a send. `rival`: another owner marks
 * what this one has just learnt of, before it marks it itself. `whole`: a queued message comes with
 * the nudge that tells of it.
 */
export function setDesk({ lookUps = false, epoch = 1, rival = false, whole = false } = {}) {
  const clock = new ManualClock();
  const entries = new Map<string, Kept>();
  const says: NetworkSays = {
    ...{ handed: [], looked: [], readiness: { ready: true }, answer: ACCEPT },
    lookUp: () => ({ found: false }),
  };
  const receipts: DeskStage['receipts'][number][] = [];
  const reports: Readiness[] = [];
  const given = { alive: true, takesReceipts: true, enabled: true, unreadable: false };
  let reads = 0;
  const driver = driverOf(says, clock, lookUps);
  const bus = busOf({ entries, receipts, takes: () => stage.takesReceipts });
  const networks = { driver: () => driver };
  const marked = rival ? markedBy(epoch + 1, clock) : () => undefined;
  const onRead = (kept: Kept): void => {
    reads++;
    marked(kept);
  };
  const store = storeOf(entries, onRead, () => {
    if (stage.unreadable) throw new Error('the store is away');
    return organizationOf(stage.enabled);
  });
  const world = { ...INERT, clock, networks, bus, store, alive: () => stage.alive };
  const seen = nothingSeen(clock);
  const open = (under: number) =>
    new Desk({ id: CHANNEL, epoch: under, seen }, world, async (readiness) => {
      reports.push(readiness);
    });
  const desk = open(epoch);
  const last = (messageId: string) =>
    receipts.findLast((each) => each.messageId === messageId)?.receipt;
  const stage: DeskStage = Object.assign(says, given, {
    desk,
    reopen: () => open(epoch + 1),
    clock,
    receipts,
    reports,
    reads: () => reads,
    queue: queueOf({ desk, clock, entries, queued: whole ? wholeOf(marked) : () => ({}) }),
    agendaOf: (messageId: string) => entries.get(messageId)?.send,
    statusOf: (messageId: string) => last(messageId)?.status,
    errorOf: (messageId: string) => last(messageId)?.error,
    texts: () => says.handed.map(({ text }) => text),
    pass: (ms: number) => pass(clock, ms),
  });
  return stage;
}

interface Conversations {
  readonly entries: Map<string, Kept>;
  readonly receipts: DeskStage['receipts'][number][];
  readonly takes: () => boolean;
}

function busOf({ entries, receipts, takes }: Conversations) {
  const ask = async (_to: unknown, command: Command) => {
    if (!takes()) throw new Error('no owner answers');
    const { messageId, receipt } = command as Command & { messageId: string; receipt: Receipt };
    receipts.push({ messageId, receipt });
    const entry = entries.get(messageId);
    if (entry) {
      entry.send = undefined;
      entry.externalId ??= receipt.externalId;
    }
    return { status: 200, body: '{}' };
  };
  return { ask };
}

function wholeOf(marked: (kept: Kept) => void): Queue['queued'] {
  return (kept) => {
    const entry = shownEntry(kept);
    marked(kept);
    return { entry: entry as unknown as EntryDocument };
  };
}

const noMedia = () => Promise.reject(new Error('no media here'));

const INERT = {
  media: {
    refuse: () => null,
    ...{ fetch: noMedia, keep: noMedia, adopt: noMedia, find: noMedia },
    ...{ lend: noMedia, part: noMedia, sweep: noMedia },
  },
  log: SILENT,
  ids: {
    ...{ fresh: (prefix: string) => `${prefix}_x`, derive: () => 'x', digest: () => 'x' },
    placesConversations: true,
  },
  vault: {
    ...{ seal: (plain: string) => plain, open: (sealed: string) => sealed },
    ...{ sign: () => ({ service: '', standard: '' }), freshSecret: () => '' },
  },
};

function driverOf(says: NetworkSays, clock: ManualClock, lookUps: boolean): NetworkDriver {
  const startedAt = clock.now();
  const findSent = async (_channel: unknown, message: DoubtfulSend) => {
    says.looked.push(message);
    return says.lookUp(message);
  };
  return {
    sendText: async (_channel, message) => {
      says.handed.push({ text: message.text, atMs: clock.now() - startedAt });
      return says.answer(message);
    },
    sendMedia: () => Promise.reject(new Error('only texts are sent here')),
    download: () => Promise.resolve({ downloaded: false, final: true, cause: 'none' }),
    ...(lookUps ? { findSent } : {}),
    status: async () => says.readiness,
    parseWebhook: () => ({ verified: false }),
    challenge: () => null,
  };
}

interface Queue {
  readonly desk: Desk;
  readonly clock: ManualClock;
  readonly entries: Map<string, Kept>;
  /** What the nudge tells beyond where it is. */
  readonly queued: (kept: Kept) => { readonly entry?: EntryDocument };
}

function queueOf({ desk, clock, entries, queued: told }: Queue): DeskStage['queue'] {
  return (conversationId, text, send = {}) => {
    const _id = `msg_${entries.size + 1}`;
    const agenda = { partition: 1, channelId: CHANNEL, state: 'queued', at: clock.now() } as const;
    const queued = { ...agenda, previousSeq: 0, attempt: 0, ...send };
    const seq = entries.size + 1;
    const kept: Kept = { _id, conversationId, seq, text, send: queued, externalId: undefined };
    entries.set(_id, kept);
    desk.lanes.add({ conversationId, seq, entryId: _id, ...told(kept) });
    desk.pump();
    return _id;
  };
}

const STEP_MS = 50;
/** So many turns of the event loop let everything happen that follows from a timer. */
const TURNS = 12;

async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; ; left -= STEP_MS) {
    for (let turns = 0; turns < TURNS; turns++) await turn();
    if (left <= 0) return;
    clock.advance(Math.min(STEP_MS, left));
  }
}

/** Only what a desk asks for: entries by id or conversation, and one organization. */
function storeOf(
  entries: Map<string, Kept>,
  onRead: (kept: Kept) => void,
  organization: () => object,
): Store {
  const find = async (_collection: string, filter: Readonly<Record<string, unknown>>) => {
    const ids = Reflect.get(Object(filter._id), '$in') as string[] | undefined;
    const wanted = (kept: Kept) =>
      ids ? ids.includes(kept._id) : kept.conversationId === filter.conversationId;
    const found = [...entries.values()].filter(wanted);
    const shown = found.map(shownEntry);
    found.forEach(onRead);
    return shown;
  };
  return {
    commit: async (writes) => writes.map((write) => apply(entries, write)),
    byId: async () => null,
    find: find as unknown as Store['find'],
    findOne: (async (collection: string, { seq }: Readonly<Record<string, unknown>>) => {
      if (collection !== 'entries') return organization();
      const kept = [...entries.values()].find((each) => each.seq === seq);
      return kept ? shownEntry(kept) : null;
    }) as unknown as Store['findOne'],
    ...{ which: async () => [], count: async () => 0 },
  };
}

/** Marks what is queued, as its owner under `epoch` would. */
function markedBy(epoch: number, clock: ManualClock) {
  return (kept: Kept): void => {
    if (kept.send?.state !== 'queued') return;
    const attempt = kept.send.attempt + 1;
    kept.send = { ...kept.send, state: 'sending', epoch, attempt, since: clock.now() };
  };
}

function organizationOf(enabled: boolean) {
  const channel = { id: CHANNEL, label: 'Vendas', provider: 'web', phone: '551140001000' };
  const settings = { enabled, network: {}, secrets: {}, pace: PACE };
  return { _id: 'org_1', country: 'BR', channels: [{ ...channel, ...settings }] };
}

function shownEntry({ _id, conversationId, seq, text, send, externalId }: Kept) {
  return {
    ...{ _id, conversationId, seq },
    message: givenOutbound({ text }),
    after: givenConversation({ id: conversationId }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(send === undefined ? {} : { send }),
  };
}

/** The compare-and-set of a mark, or a message put back. */
function apply(entries: Map<string, Kept>, write: Write) {
  if (!('update' in write) || write.update !== 'entries') return { ok: true } as const;
  const entry = entries.get(String(write.filter._id));
  const { 'send.state': state, 'send.attempt': attempt } = write.filter;
  if (!entry?.send || entry.send.state !== state || entry.send.attempt !== attempt) {
    return { ok: false, duplicate: '_id_' } as const;
  }
  const { $set = {}, $inc = {} } = write.change as Record<string, Record<string, unknown>>;
  const set = Object.entries($set).map(([name, value]) => [name.replace('send.', ''), value]);
  const more = Number($inc['send.attempt'] ?? 0);
  const changed: ChannelSendAgenda = { ...entry.send, ...Object.fromEntries(set) };
  entry.send = { ...changed, attempt: changed.attempt + more };
  return { ok: true } as const;
}
