/** Streams of a process that was cut off from NATS: their pages read everything again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LiveStreams } from '../../../../../gateway/panel/live/live-streams.ts';
import { systemClock as clock } from '../../../../../infra/adapters/clock/clock.ts';
import { connectBus } from '../../../../../infra/adapters/nats/bus.ts';
import type { NetworkBus } from '../../../../../infra/adapters/nats/network-bus.ts';
import { Link } from '../../../../faults/chaos/program/link.ts';
import { useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

let link: Link;
let bus: NetworkBus;

const stack = useStack();
before(async () => {
  const url = new URL(stack.runFile().natsUrl);
  const upstream = { port: Number(url.port) };
  link = await Link.open({ name: 'nats', upstream, unit: () => 0 });
  url.port = String(link.port);
  bus = await connectBus({ natsUrl: url.href, clock, log, processId: 'panel-cut-off' });
});

after(async () => {
  await bus.close();
  await link.close();
});

test('every stream is told to read again when the connection is there again', async () => {
  const streams = new LiveStreams(clock);
  streams.connect(bus.hintListener());
  const stream = streams.open({
    ...{ subjects: ['org_of_nobody'], sessionId: 'ses_a', memberId: null },
    isStillOpen: () => Promise.resolve(true),
  });
  assert.ok(stream);
  const events = stream.chunks[Symbol.asyncIterator]();
  const next = async () => Buffer.from((await events.next()).value ?? []).toString();
  assert.match(await next(), /event: resync/);
  await waitUntil('the connection', () => link.connections > 0 || null);
  link.degrade({ kind: 'cut' });
  await waitUntil('the cut', () => link.connections === 0 || null);
  link.heal();
  assert.match(await next(), /event: resync/);
  streams.close();
});
