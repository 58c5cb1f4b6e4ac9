/**
 * A desk on a stage of its own: a clock that the test moves, a network that says what the test
 * says, a store that keeps only what a desk writes, and conversations that take every receipt.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Desk } from '../../actors/channel/desk.ts';
import type { ChannelAgenda } from '../../actors/channel/round.ts';
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
import { ManualClock } from '../gateway/manual-clock.ts';

const ignore = () => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const CHANNEL = 'chn_1';
const PACE = { perSecond: 1_000, pairBurst: 1_000, pairEveryMs: 1 };

interface Kept extends Document {
  readonly conversationId: string;
  readonly text: string;
  send: ChannelAgenda | undefined;
  externalId: string | undefined;
}

export interface DeskStage {
  readonly desk: Desk;
  readonly clock: ManualClock;
  /** What was handed to the network, as `text`, with the time since the start. */
  readonly handed: { readonly text: string; readonly atMs: number }[];
  readonly receipts: { readonly messageId: string; readonly receipt: Receipt }[];
  readonly reports: Readiness[];
  readonly looked: DoubtfulSend[];
  /** What the network says to each hand-over. */
  answer: (message: OutboundText) => SendOutcome | Promise<SendOutcome>;
  lookUp: (message: DoubtfulSend) => SentLookup;
  readiness: Readiness;
  /** Queues a message; `send` is what its agenda differs in. */
  queue(conversationId: string, text: string, send?: Partial<ChannelAgenda>): string;
  agendaOf(messageId: string): ChannelAgenda | undefined;
  statusOf(messageId: string): string | undefined;
  errorOf(messageId: string): Receipt['error'];
  texts(): string[];
  /** Lets time pass in steps, and everything that follows happen. */
  pass(ms: number): Promise<void>;
}

export const ACCEPT = (message: OutboundText): SendOutcome => ({
  outcome: 'accepted',
  externalId: `ext-${message.messageId}`,
});

/** `lookUps`: whether the network can be asked what became of a send. */
export function setDesk({ lookUps = false, epoch = 1 } = {}): DeskStage {
  const clock = new ManualClock();
  const startedAt = clock.now();
  const entries = new Map<string, Kept>();
  const driver: NetworkDriver = {
    sendText: async (_channel, message) => {
      stage.handed.push({ text: message.text, atMs: clock.now() - startedAt });
      return stage.answer(message);
    },
    ...(lookUps
      ? {
          findSent: async (_channel, message) => {
            stage.looked.push(message);
            return stage.lookUp(message);
          },
        }
      : {}),
    status: async () => stage.readiness,
    parseWebhook: () => ({ verified: false }),
    challenge: () => null,
  };
  const takeReceipt = (command: Command) => {
    const { messageId, receipt } = command as Command & { messageId: string; receipt: Receipt };
    stage.receipts.push({ messageId, receipt });
    const entry = entries.get(messageId);
    if (entry) {
      entry.send = undefined;
      entry.externalId ??= receipt.externalId;
    }
    return { status: 200, body: '{}' };
  };
  const world = {
    clock,
    log: SILENT,
    alive: () => true,
    ids: { fresh: (prefix: string) => `${prefix}_x`, derive: () => 'x', digest: () => 'x' },
    vault: {
      seal: (plain: string) => plain,
      open: (sealed: string) => sealed,
      sign: () => ({ service: '', standard: '' }),
      freshSecret: () => '',
    },
    networks: { driver: () => driver },
    bus: { ask: async (_to: unknown, command: Command) => takeReceipt(command) },
    store: storeOf(entries),
  };
  const desk = new Desk({ id: CHANNEL, epoch }, world, async (readiness) => {
    stage.reports.push(readiness);
  });
  const stage: DeskStage = {
    desk,
    clock,
    handed: [],
    receipts: [],
    reports: [],
    looked: [],
    answer: ACCEPT,
    lookUp: () => ({ found: false }),
    readiness: { ready: true },
    queue: (conversationId, text, send = {}) => {
      const _id = `msg_${entries.size + 1}`;
      const agenda = {
        partition: 1,
        channelId: CHANNEL,
        state: 'queued',
        at: clock.now(),
      } as const;
      const queued = { ...agenda, attempt: 0, ...send };
      entries.set(_id, { _id, conversationId, text, send: queued, externalId: undefined });
      desk.lanes.add({ conversationId, seq: entries.size, entryId: _id });
      desk.pump();
      return _id;
    },
    agendaOf: (messageId) => entries.get(messageId)?.send,
    statusOf: (messageId) => lastOf(stage, messageId)?.status,
    errorOf: (messageId) => lastOf(stage, messageId)?.error,
    texts: () => stage.handed.map(({ text }) => text),
    pass: async (ms) => {
      for (let left = ms; ; left -= 50) {
        for (let turns = 0; turns < 12; turns++) await turn();
        if (left <= 0) return;
        clock.advance(Math.min(50, left));
      }
    },
  };
  return stage;
}

function lastOf({ receipts }: DeskStage, messageId: string): Receipt | undefined {
  return receipts.findLast((each) => each.messageId === messageId)?.receipt;
}

/** Only what a desk asks for: entries by id or conversation, and one organization. */
function storeOf(entries: Map<string, Kept>): Store {
  const find = async (_collection: string, filter: Readonly<Record<string, unknown>>) => {
    const ids = Reflect.get(Object(filter._id), '$in') as string[] | undefined;
    const wanted = (kept: Kept) =>
      ids ? ids.includes(kept._id) : kept.conversationId === filter.conversationId;
    return [...entries.values()].filter(wanted).map(shownEntry);
  };
  return {
    commit: async (writes) => writes.map((write) => apply(entries, write)),
    byId: async () => null,
    find: find as unknown as Store['find'],
    findOne: (async () => ORGANIZATION) as unknown as Store['findOne'],
    count: async () => 0,
  };
}

const ORGANIZATION = {
  _id: 'org_1',
  country: 'BR',
  channels: [
    {
      id: CHANNEL,
      label: 'Vendas',
      provider: 'web',
      phone: '551140001000',
      enabled: true,
      network: {},
      secrets: {},
      pace: PACE,
    },
  ],
};

function shownEntry({ _id, conversationId, text, send, externalId }: Kept) {
  return {
    _id,
    conversationId,
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
  const changed: ChannelAgenda = { ...entry.send, ...Object.fromEntries(set) };
  entry.send = { ...changed, attempt: changed.attempt + more };
  return { ok: true } as const;
}
