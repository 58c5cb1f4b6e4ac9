/**
 * Fixture of one channel sender: a clock that the test moves, and a scripted network. The store
 * keeps only the sender's writes, and conversations accept every receipt.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { Channel, type ChannelLinks } from '../../../../actors/channel/channel.ts';
import { createChannelCaches } from '../../../../actors/channel/channel-caches.ts';
import { urgencyIn } from '../../../../actors/channel/sending/send-nudge.ts';
import type { ChannelRestriction } from '../../../../actors/domain/channel-restriction.ts';
import type { Receipt } from '../../../../actors/domain/conversation/network-message.ts';
import type { ReadinessReport } from '../../../../actors/domain/network-readiness.ts';
import type { EntryDocument, SendAgenda } from '../../../../actors/model/conversation.ts';
import type { Command } from '../../../../shared/ports/bus.ts';
import type {
  DoubtfulSend,
  NetworkDriver,
  Networks,
  OutboundText,
  Presence,
  SendOutcome,
  SentLookup,
  WebhookOutcome,
} from '../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../shared/ports/network-event.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { UNHEARD } from '../../../support/unheard.ts';
import {
  CHANNEL,
  type Kept,
  markedBy,
  organizationOf,
  shownEntry,
  storeOf,
  writeIn,
} from './sender-store.ts';

/** Requests that the network received, and its scripted answers. */
interface NetworkScript {
  /** Messages that were transmitted, with the time since the start. */
  readonly posted: { readonly text: string; readonly atMs: number; readonly ownId?: string }[];
  readonly lookUps: DoubtfulSend[];
  /** Read marks and typing that the network was asked to show. */
  readonly shown: Presence[];
  show: () => Promise<boolean>;
  answer: (message: OutboundText) => SendOutcome | Promise<SendOutcome>;
  lookUp: (message: DoubtfulSend) => SentLookup;
  readiness: Readiness;
  /** What the driver makes of a webhook. */
  webhook: WebhookOutcome;
  /** Its own ids of messages, where it takes some. */
  ownIdOf: (messageId: string) => string | null;
}

export interface SenderFixture extends NetworkScript {
  readonly channel: Channel;
  readonly clock: ManualClock;
  /** The process has lost its lease, or has joined anew. */
  leaseHeld: boolean;
  /** Whether conversations take receipts; without, asks fail. */
  reachable: boolean;
  /** As the organization configured the channel. */
  enabled: boolean;
  /** The contact of every conversation wants no messages. */
  optedOut: boolean;
  /** The run whose step says so. */
  optOutRunId: string | null;
  /** How often the templates were asked for. */
  listings: number;
  /** The store cannot tell the configuration. */
  unreadable: boolean;
  readonly receipts: readonly { readonly messageId: string; readonly receipt: Receipt }[];
  readonly reports: readonly ReadinessReport[];
  /** Restrictions that were reported to the organization, in order. */
  readonly restrictions: readonly (ChannelRestriction | null)[];
  /** As the organization keeps it. */
  kept: ChannelRestriction | null;
  /** The same for a payment problem. */
  keptUnpaid: ChannelRestriction | null;
  /** The contact writes: the conversation records it, and notifies the sender. */
  write(conversationId: string): void;
  /** Queues a message; `send` is what its agenda differs in. */
  queue(
    conversationId: string,
    text: string,
    send?: Partial<SendAgenda> & Partial<Pick<Kept, Said>>,
  ): string;
  /** The same process owns the channel again, under the next epoch. */
  reopen(): Channel;
  agendaOf(messageId: string): SendAgenda | undefined;
  statusOf(messageId: string): string | undefined;
  errorOf(messageId: string): Receipt['error'];
  texts(): string[];
  /** How often an entry was read from the store. */
  reads(): number;
  /** Lets time pass in steps, and everything that follows happen. */
  pass(ms: number): Promise<void>;
}

type Said =
  | 'received'
  | 'windowFrom'
  | 'template'
  | 'origin'
  | 'runId'
  | 'joinedTo'
  | 'schedule'
  | 'bulk';

/** A channel in a process that does nothing for it. */
export const UNLINKED: ChannelLinks = {
  reports: { readiness: async () => undefined, restriction: async () => undefined },
  onNeedsRefill: () => undefined,
  onMediaDue: () => undefined,
  templatesOf: () => ({ onDue: () => undefined, onChanged: async () => undefined }),
  readBackOf: () => ({ onReadiness: () => undefined, onEventsCommitted: () => undefined }),
};

export const ACCEPT = (message: OutboundText): SendOutcome => ({
  outcome: 'accepted',
  externalId: `ext-${message.messageId}`,
});

/**
 * - `lookUps`: whether the network answers look-ups of a send in doubt.
 * - `rival`: another owner claims an entry that this one has just read, before it claims it itself.
 * - `whole`: the nudge for a queued message contains its entry.
 */
export function senderFixture({ lookUps = false, epoch = 1, rival = false, whole = false } = {}) {
  const clock = new ManualClock();
  const entries = new Map<string, Kept>();
  const script = defaultScript();
  const receipts: SenderFixture['receipts'][number][] = [];
  const reports: ReadinessReport[] = [];
  const restrictions: SenderFixture['restrictions'][number][] = [];
  const state = { leaseHeld: true, reachable: true, enabled: true, unreadable: false };
  const told = { optedOut: false, optOutRunId: null, kept: null, keptUnpaid: null, listings: 0 };
  let reads = 0;
  const bus = busOf({ entries, receipts, isReachable: () => fixture.reachable });
  const marked = rival ? markedBy(epoch + 1, clock) : () => undefined;
  const onRead = (kept: Kept): void => {
    reads++;
    marked(kept);
  };
  const organization = () => {
    if (fixture.unreadable) throw new Error('the store is away');
    return organizationOf(fixture);
  };
  const contact = () => ({
    ...{ optIn: false, optOutAt: fixture.optedOut ? clock.now() : null },
    optOutRunId: fixture.optOutRunId,
  });
  const store = storeOf(entries, onRead, { organization, contact });
  const networks = networksOf(script, clock, lookUps);
  const environment = { ...INERT, clock, networks, bus, store, leaseHeld: () => fixture.leaseHeld };
  const caches = createChannelCaches(clock);
  const open = (under: number) =>
    new Channel({ id: CHANNEL, epoch: under, caches: caches }, environment, {
      ...UNLINKED,
      templatesOf: () => ({
        onDue: () => undefined,
        onChanged: async () => void fixture.listings++,
      }),
      reports: {
        readiness: async (told) => void reports.push(told),
        restriction: async (restriction, cause) => {
          restrictions.push(restriction);
          if (cause === 'payment') fixture.keptUnpaid = restriction;
          else fixture.kept = restriction;
        },
      },
    });
  const channel = open(epoch);
  const last = (messageId: string) => lastOf(receipts, messageId);
  const fixture: SenderFixture = Object.assign(script, state, told, {
    ...{ channel, clock, receipts, reports, restrictions },
    reopen: () => open(epoch + 1),
    write: (by: string) => channel.receiving.contactWrote(writeIn(entries, by, clock.now())),
    reads: () => reads,
    queue: queueOf({ channel, clock, entries, queued: whole ? wholeOf(marked) : () => ({}) }),
    agendaOf: (messageId: string) => entries.get(messageId)?.send,
    statusOf: (messageId: string) => last(messageId)?.status,
    errorOf: (messageId: string) => last(messageId)?.error,
    texts: () => script.posted.map(({ text }) => text),
    pass: (ms: number) => pass(clock, ms),
  });
  return fixture;
}

function lastOf(receipts: SenderFixture['receipts'], messageId: string): Receipt | undefined {
  return receipts.findLast((each) => each.messageId === messageId)?.receipt;
}

function defaultScript(): NetworkScript {
  return {
    ...{ posted: [], lookUps: [], shown: [], readiness: { ready: true }, answer: ACCEPT },
    show: async () => true,
    lookUp: () => ({ found: false }),
    ownIdOf: () => null,
    webhook: { verified: false },
  };
}

interface Conversations {
  readonly entries: Map<string, Kept>;
  readonly receipts: SenderFixture['receipts'][number][];
  readonly isReachable: () => boolean;
}

function busOf({ entries, receipts, isReachable }: Conversations) {
  const ask = async (_to: unknown, command: Command) => {
    if (!isReachable()) throw new Error('no owner answers');
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
    ...{ putPart: noMedia, endUpload: noMedia, claim: noMedia },
    ...{ putLibraryPart: noMedia, endLibraryFile: noMedia },
    ...{ withFile: noMedia, part: noMedia, sweep: noMedia },
  },
  log: SILENT,
  live: UNHEARD,
  ids: { fresh: (prefix: string) => `${prefix}_x`, derive: () => 'x', digest: () => 'x' },
  vault: {
    ...{ seal: (plain: string) => plain, open: (sealed: string) => sealed },
    ...{ sign: () => ({ service: '', standard: '' }), freshSecret: () => '' },
  },
};

function networksOf(script: NetworkScript, clock: ManualClock, lookUps: boolean): Networks {
  const startedAt = clock.now();
  const findSent = async (_channel: unknown, message: DoubtfulSend) => {
    script.lookUps.push(message);
    return script.lookUp(message);
  };
  const driver: NetworkDriver = {
    sendText: async (_channel, message) => {
      const { ownId } = message;
      const named = ownId === undefined ? {} : { ownId };
      script.posted.push({ text: message.text, atMs: clock.now() - startedAt, ...named });
      return script.answer(message);
    },
    sendContent: async (_channel, message) => {
      script.posted.push({ text: message.type, atMs: clock.now() - startedAt });
      return script.answer({ ...message, text: message.type });
    },
    sendMedia: () => Promise.reject(new Error('only texts are sent here')),
    download: () => Promise.resolve({ downloaded: false, final: true, cause: 'none' }),
    ...(lookUps ? { findSent } : {}),
    ownIdOf: (_channel, messageId) => script.ownIdOf(messageId),
    show: (_channel, presence) => {
      script.shown.push(presence);
      return script.show();
    },
    status: async () => script.readiness,
    parseWebhook: () => script.webhook,
    challenge: () => null,
  };
  return { driver: () => driver };
}

interface Queue {
  readonly channel: Channel;
  readonly clock: ManualClock;
  readonly entries: Map<string, Kept>;
  /** The nudge's fields beyond conversation, seq and entry id. */
  readonly queued: (kept: Kept) => { readonly entry?: EntryDocument };
}

function queueOf({ channel, clock, entries, queued: told }: Queue): SenderFixture['queue'] {
  return (conversationId, text, { received = 0, ...more } = {}) => {
    const { windowFrom, template, origin, runId, joinedTo, schedule, bulk, ...send } = more;
    const _id = `msg_${entries.size + 1}`;
    const agenda = { partition: 1, channelId: CHANNEL, state: 'queued', at: clock.now() } as const;
    const queued = { ...agenda, previousSeq: 0, attempt: 0, ...send };
    const seq = entries.size + 1;
    const said = { _id, conversationId, seq, text, received, windowFrom, template };
    const by = { origin, runId, joinedTo, schedule, bulk };
    const kept: Kept = { ...said, ...by, send: queued, externalId: undefined };
    entries.set(_id, kept);
    const { sender } = channel;
    const urgency = urgencyIn(queued);
    sender.queue.conversations.add({ conversationId, seq, entryId: _id, urgency, ...told(kept) });
    sender.pump();
    return _id;
  };
}

const STEP_MS = 50;
/** So many turns of the event loop let everything happen that follows from a timer. */
const TURNS = 12;

/** Steps in which no timer is due are taken at once: nothing would happen in them. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; ; ) {
    for (let turns = 0; turns < TURNS; turns++) await turn();
    if (left <= 0) return;
    const steps = Math.max(1, Math.ceil(clock.idleMs / STEP_MS));
    const stepMs = Math.min(steps * STEP_MS, left);
    clock.advance(stepMs);
    left -= stepMs;
  }
}
