/** The whole way once: calls at a pace, the network, its receipts, the subscriber. */
import type { Collection } from 'mongodb';
import { runOpenLoop } from '../open-loop.ts';
import { type OrganizationSpec, tokenOf } from '../organization.ts';
import type { BenchService } from '../service.ts';
import type { Subscribers } from '../subscribers.ts';
import type { Context } from '../suite.ts';
import { until } from '../until.ts';
import { type Journeys, journeysOf } from './journeys.ts';

const CONNECTIONS = 256;
export const CHANNELS = 48;
/** A multiple of the channels: each contact writes to one of them, and is soon known there. */
const CONVERSATIONS = 20 * CHANNELS;

export interface EndToEndFixture {
  readonly context: Context;
  readonly service: BenchService;
  readonly subscribers: Subscribers;
  readonly entries: Collection;
  /** Where the load goes in turn. */
  readonly channelIds: readonly string[];
  readonly ref: string;
  /** Calls so far: contacts go on where the load before ended. */
  calls: number;
}

export interface JourneyRun extends Journeys {
  /** From the last call to the last `read` receipt on record. */
  readonly settledMs: number;
}

/** The organization that sends the measured messages. */
export function travellers(ref: string, subscriber: string): OrganizationSpec {
  return { ref, channels: CHANNELS, subscribers: [subscriber], events: ['message.sent'] };
}

/** Resolves when every accepted message was read, and the subscriber was notified of it. */
export async function runJourneys(
  fixture: EndToEndFixture,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<JourneyRun> {
  const { context, service, subscribers, entries, channelIds, ref } = fixture;
  const bodies = channelIds.map((channelId) =>
    JSON.stringify({ channelId, phone: '{phone}', text: 'Mensagem de número {n}' }),
  );
  const port = Number(new URL(service.run().baseUrl).port);
  const calls = await runOpenLoop(context.children, {
    port,
    perSecond,
    seconds,
    connections: CONNECTIONS,
    path: '/api/v1/messages',
    token: tokenOf(ref),
    bodies,
    phones: CONVERSATIONS,
    from: fixture.calls,
  });
  const endedAt = performance.now();
  fixture.calls += calls.length;
  const unread = { 'message.direction': 'out', 'message.status': { $ne: 'read' } };
  await until(async () => (await entries.countDocuments(unread)) === 0, 'every message is read');
  const settledMs = performance.now() - endedAt;
  await until(async () => (await subscribers.count()) >= calls.length, 'every event arrives');
  return { ...journeysOf(perSecond, calls, await subscribers.take()), settledMs };
}
