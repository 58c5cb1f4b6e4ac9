/**
 * Messages that the network accepted without a status so far: the benchmark posts their statuses.
 */
import type { Collection } from 'mongodb';
import * as v from 'valibot';
import { unpacked } from '../../adapters/mongo/packing.ts';
import { runOpenLoop } from '../open-loop.ts';
import { namesOf, tokenOf } from '../organization.ts';
import type { BenchService } from '../service.ts';
import type { Context } from '../suite.ts';
import type { Sent } from './batches.ts';

const POLL_MS = 50;
const TIMEOUT_MS = 60_000;

const EntrySchema = v.object({
  _id: v.string(),
  externalId: v.string(),
  after: v.object({ contact: v.object({ phone: v.string() }) }),
});

export interface Sender {
  readonly context: Context;
  readonly service: BenchService;
  readonly entries: Collection;
  readonly ref: string;
}

/** The simulator reports nothing by itself. */
export async function silence({ service, ref }: Sender): Promise<void> {
  for (const name of namesOf(ref)) {
    const answer = await fetch(`${service.run().sandboxUrl}/control/faults`, {
      method: 'POST',
      body: JSON.stringify({ ...name, dropReceipts: true }),
    });
    if (!answer.ok) throw new Error(`the simulator answered ${answer.status}`);
  }
}

export async function sendSome(
  { context, service, entries, ref }: Sender,
  { channelId, count }: { readonly channelId: string; readonly count: number },
): Promise<readonly Sent[]> {
  const calls = await runOpenLoop(context.children, {
    port: Number(new URL(service.run().baseUrl).port),
    perSecond: 250,
    seconds: count / 250,
    connections: 64,
    path: '/api/v1/messages',
    token: tokenOf(ref),
    bodies: [JSON.stringify({ channelId, phone: '{phone}', text: 'Mensagem de número {n}' })],
    phones: count,
  });
  const ids = new Set(calls.map(({ id }) => id));
  const startedAt = performance.now();
  for (;;) {
    const filter = { channelId, 'message.direction': 'out', externalId: { $exists: true } };
    const found = await entries.find(filter).toArray();
    const sent = v
      .parse(
        v.array(EntrySchema),
        found.map((each) => unpacked('entries', { ...each, _id: String(each._id) })),
      )
      .filter(({ _id }) => ids.has(_id));
    if (sent.length === calls.length) {
      return sent.map(({ _id, externalId, after }) => ({
        messageId: _id,
        externalId,
        to: after.contact.phone.replace(/\D/g, ''),
      }));
    }
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('not all were sent in time');
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
