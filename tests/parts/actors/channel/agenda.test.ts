/**
 * Agenda of channels: polls find messages whose nudge was lost. A backlog of other channels hides
 * none, in the same partition or not. Pages are a tenth of the product's, and so are the backlogs:
 * a poll reads 1,000 messages instead of 10,000.
 */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { channelKind } from '../../../../actors/channel/actor.ts';
import { ChannelAgenda } from '../../../../actors/channel/agenda.ts';
import { entryDocument } from '../../../../actors/conversation/log/documents.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { DuePoller } from '../../../../actors/runtime/due-poller.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import type { StoredMessage } from '../../../../shared/message.ts';
import type { Address, CommandOf } from '../../../../shared/ports/bus.ts';
import type {
  NetworkChannel,
  OutboundText,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';
import { fileEngine, SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { UNHEARD } from '../../../support/unheard.ts';
import { waitFor } from '../../../support/wait-for.ts';

const EPOCH = 2;
const PAGE = 100;
const STEP_MS = 500;
/** Some polls on a busy machine: a small part of the backlog's duration. */
const SOON_MS = 600_000;
/** The engine joins the parts of a long request anew with each of them. */
const INSERTED_AT_ONCE = 500;
let acceptedAt = new ManualClock().now();
const quiet = (): void => undefined;

const engine = fileEngine();
beforeEach(async () => {
  for (const name of ['entries', 'organizations']) {
    await engine.mongo.db.collection(name).deleteMany();
  }
});

/** Two channels of one partition, or of two. */
function twoChannels({ together }: { together: boolean }): readonly [string, string] {
  const first = 'chn_0';
  const home = partitionOf('channel', first);
  for (let n = 1; ; n++) {
    if ((partitionOf('channel', `chn_${n}`) === home) === together) return [first, `chn_${n}`];
  }
}

function channelEntry(id: string, perSecond: number) {
  const pace = { perSecond, pairBurst: 10, pairEveryMs: 1_000 };
  const entry = { id, label: id, provider: 'web', phone: '551140001000', enabled: true, pace };
  return { ...entry, network: {}, secrets: {} };
}

interface Fixture {
  readonly sent: readonly string[];
  /** Holds the channels from now on. */
  acquire(channelIds: readonly string[]): Promise<void>;
  /** Lets time pass until the message has been sent. */
  untilSent(text: string): Promise<number>;
}

type Send = (channelId: string, message: OutboundText) => SendOutcome;

const ACCEPT: Send = (_, { messageId }) => {
  return { outcome: 'accepted', externalId: `ext_${messageId}` };
};

function openFixture(answer: Send = ACCEPT): Fixture {
  const clock = new ManualClock();
  const sent: string[] = [];
  const driver = {
    status: async () => ({ ready: true }),
    sendText: async ({ id }: NetworkChannel, message: OutboundText) => {
      const outcome = answer(id, message);
      if (outcome.outcome === 'accepted') sent.push(message.text);
      return outcome;
    },
  };
  const record = async ({ key }: Address, command: CommandOf) => {
    const messageId = command.type === 'receipt' ? command.messageId : undefined;
    const change = { $unset: { send: '' } };
    const filter = { _id: messageId, conversationId: key };
    const judged = { update: 'entries', filter, change } as const;
    if (messageId !== undefined) await engine.store.commit([judged]);
    return { status: 200, body: '{}' };
  };
  const environment = {
    ...{
      store: engine.store,
      clock,
      ids: createIds(Buffer.alloc(32, 7)),
      log: SILENT,
      live: UNHEARD,
    },
    bus: { ask: record, nudge: quiet, answerAll: quiet },
    networks: { driver: () => driver },
    leaseHeld: () => true,
  } as unknown as Environment;
  const kind = channelKind(new ChannelAgenda(environment, new DuePoller(environment), PAGE));
  return {
    sent,
    async acquire(channelIds) {
      const partitions = new Set(channelIds.map((id) => partitionOf('channel', id)));
      await Promise.all([...partitions].map((partition) => kind.acquire?.(partition, EPOCH)));
    },
    async untilSent(text) {
      const from = clock.now();
      const isSent = () => {
        clock.advance(STEP_MS);
        return sent.includes(text);
      };
      await waitFor(isSent, { what: `${text} is sent` });
      return clock.now() - from;
    },
  };
}

/** Each message has its own conversation; they are accepted in order, without a nudge. */
async function queue(
  channelId: string,
  texts: readonly string[],
  over: Partial<StoredMessage> = {},
): Promise<void> {
  const documents = texts.map((text) => {
    const at = acceptedAt++;
    const state = { ...conversationFixture({ id: `cnv_${text}` }), channelId, seq: 1, at };
    const message = outboundFixture({ text, ...over });
    return entryDocument(`msg_${text}`, { state, message, outbox: [], queued: true });
  });
  const entries = engine.mongo.db.collection('entries');
  for (let from = 0; from < documents.length; from += INSERTED_AT_ONCE) {
    await entries.insertMany(documents.slice(from, from + INSERTED_AT_ONCE) as never);
  }
}

function named(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`);
}

async function configure(...channels: readonly ReturnType<typeof channelEntry>[]): Promise<void> {
  const organization = { _id: 'org_1', country: 'BR', channels };
  await engine.store.commit([{ insert: 'organizations', document: organization }]);
}

test('a number that cannot send hides no message of another', async () => {
  const [stuck, other] = twoChannels({ together: false });
  await configure({ ...channelEntry(stuck, 80), enabled: false }, channelEntry(other, 80));
  await queue(stuck, named('presa', 300));
  const fixture = openFixture();
  await fixture.acquire([stuck, other]);
  await queue(other, ['perdida']);
  assert.ok((await fixture.untilSent('perdida')) <= SOON_MS);
  assert.deepEqual(fixture.sent, ['perdida']);
});

test('numbers whose network is away hide no message of another', async () => {
  const away = Array.from({ length: 11 }, (_, n) => `chn_away${n}`);
  const channels = away.map((id) => channelEntry(id, 80));
  await configure(...channels, channelEntry('chn_fine', 80));
  for (const id of away) await queue(id, named(`${id}-`, 95));
  await queue('chn_fine', ['perdida']);
  const wait: SendOutcome = { outcome: 'later', scope: 'account', waitMs: 3_600_000 };
  const fixture = openFixture((id, message) => (id === 'chn_fine' ? ACCEPT(id, message) : wait));
  await fixture.acquire([...away, 'chn_fine']);
  assert.ok((await fixture.untilSent('perdida')) <= SOON_MS);
});

test('a long backlog hides no message of another', async () => {
  const [slow, other] = twoChannels({ together: true });
  await configure(channelEntry(slow, 1), channelEntry(other, 80));
  await queue(slow, named('campanha', 2_100));
  await queue(other, ['antes']);
  const fixture = openFixture();
  await fixture.acquire([slow, other]);
  assert.ok((await fixture.untilSent('antes')) <= SOON_MS);
  await queue(other, ['depois']);
  assert.ok((await fixture.untilSent('depois')) <= SOON_MS);
});

const BULK = { bulk: { expiresAt: Number.MAX_SAFE_INTEGER } };
const REPLY = { author: { kind: 'member', label: 'Ana' } } as const;

test('a long backlog of less urgent messages hides no reply, nor a normal message', async () => {
  await configure(channelEntry('chn_0', 2));
  await queue('chn_0', named('campanha', 2_100), BULK);
  await queue('chn_0', ['antes'], REPLY);
  const fixture = openFixture();
  await fixture.acquire(['chn_0']);
  await fixture.untilSent('antes');
  assert.equal(fixture.sent[0], 'antes', 'replies are read first');
  // The nudges are lost, and memory is full of the backlog.
  await queue('chn_0', ['aviso']);
  await queue('chn_0', ['resposta'], REPLY);
  assert.ok((await fixture.untilSent('resposta')) <= SOON_MS);
  assert.ok((await fixture.untilSent('aviso')) <= SOON_MS);
  await queue('chn_0', ['depois'], REPLY);
  const next = openFixture();
  await next.acquire(['chn_0']);
  await next.untilSent('depois');
  assert.equal(next.sent[0], 'depois', 'of the next owner too');
});

test('a backlog beyond what is in hand is sent to its end', async () => {
  await configure(channelEntry('chn_0', 400));
  const texts = named('lote', 1_150);
  await queue('chn_0', texts);
  const fixture = openFixture();
  await fixture.acquire(['chn_0']);
  await fixture.untilSent(texts.at(-1) ?? '');
  // Entries that moved while the backlog was read page by page are found by the next poll.
  const soon = new Set(fixture.sent);
  for (const text of texts) if (!soon.has(text)) await fixture.untilSent(text);
  assert.deepEqual(new Set(fixture.sent), new Set(texts));
  assert.equal(fixture.sent.length, texts.length);
});
