/** The end of a run: waits until nothing is due any more, then reads everything there is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import * as v from 'valibot';
import { databaseOf } from '../../../../infra/adapters/mongo/client.ts';
import { LOG_EVENT } from '../../../../shared/log-events.ts';
import { recordsFrom } from '../records.ts';
import { type Caller, dataOf } from './caller.ts';
import type { Layout } from './plans.ts';
import type { WorkloadFixture } from './workload-fixture.ts';

const POLL_EVERY_MS = 200;
const PAGE = 200;
const READS_AT_ONCE = 16;

/** How much is still due, by what it is. */
export type Due = Readonly<Record<string, number>>;

/** Waits until nothing is due, at most so long; returns the work that is left. */
export async function drained(layout: Layout, timeoutMs: number): Promise<Due> {
  const { mongodbUrl } = layout.store;
  await using client = new MongoClient(mongodbUrl, { serverSelectionTimeoutMS: 5_000 });
  const db = databaseOf(client, mongodbUrl);
  const until = performance.now() + timeoutMs;
  for (;;) {
    const [sends, scheduled, pending, deliveries] = await Promise.all([
      db.collection('entries').countDocuments({ send: { $exists: true } }),
      db.collection('entries').countDocuments({ due: { $exists: true } }),
      db.collection('entries').countDocuments({ pending: { $exists: true } }),
      db.collection('deliveries').countDocuments({
        'state.status': { $in: ['pending', 'parked'] },
      }),
    ]);
    const due = { sends, scheduled, pending, deliveries };
    if (sends + scheduled + pending + deliveries === 0 || performance.now() > until) return due;
    await pause(POLL_EVERY_MS);
  }
}

/** Adds the journals of the network and the subscriber to the history. */
export function takeJournals({ recorder }: WorkloadFixture, { folder }: Layout): void {
  for (const name of ['network', 'subscriber']) {
    recorder.take(recordsFrom(readFileSync(join(folder, `${name}.jsonl`), 'utf8')));
  }
}

const SendLine = v.object({
  msg: v.literal(LOG_EVENT.send),
  messageId: v.string(),
  markedAt: v.number(),
});

/** Adds the marks of sends, which the actors have logged beside their outcomes. */
export function takeMarks({ recorder }: WorkloadFixture, { parts }: Layout): void {
  for (const line of actorsLines(parts)) {
    const { success, output } = v.safeParse(SendLine, line);
    if (!success) continue;
    recorder.seen('marked', { messageId: output.messageId, at: output.markedAt }, 'reader');
  }
}

const LostLine = v.object({
  msg: v.pipe(v.string(), v.startsWith(LOG_EVENT.leaseLost)),
  time: v.number(),
});

/** Adds the leases that were lost: without a fault too, as renewals of a busy machine are late. */
export function takeLostLeases({ recorder }: WorkloadFixture, { parts }: Layout): void {
  for (const line of actorsLines(parts)) {
    const { success, output } = v.safeParse(LostLine, line);
    if (success) recorder.seen('lease-lost', { at: output.time }, 'reader');
  }
}

function actorsLines(parts: Layout['parts']): readonly unknown[] {
  const actors = parts.filter(({ plan }) => plan.role === 'actors');
  return actors.flatMap(({ plan }) => linesOf(plan.logFile));
}

/** A killed process may have left half a line. */
function linesOf(file: string): readonly unknown[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch (cause) {
      if (cause instanceof SyntaxError) return [];
      throw cause;
    }
  });
}

const Conversation = v.object({
  id: v.string(),
  status: v.string(),
  channel: v.object({ id: v.string() }),
  contact: v.object({ phone: v.nullable(v.string()) }),
});
const Message = v.object({
  id: v.string(),
  direction: v.string(),
  text: v.nullable(v.string()),
  status: v.string(),
  externalId: v.nullable(v.string()),
  error: v.optional(v.object({ code: v.string() })),
});
const Contact = v.object({
  id: v.string(),
  phone: v.nullable(v.string()),
  fields: v.record(v.string(), v.string()),
  tags: v.array(v.string()),
});

/** @param op name of the records of conversations on the main channel */
export async function readEverything(
  { api, bridges, recorder }: WorkloadFixture,
  op: 'read-conversation' | 'read-scheduled' = 'read-conversation',
): Promise<void> {
  const conversations = await everyPage(api, '/api/v1/conversations', Conversation);
  for (let from = 0; from < conversations.length; from += READS_AT_ONCE) {
    const some = conversations.slice(from, from + READS_AT_ONCE).map(async (conversation) => {
      const path = `/api/v1/messages?conversationId=${conversation.id}`;
      const messages = (await everyPage(api, path, Message)).reverse();
      const { id: conversationId, channel, status, contact } = conversation;
      const { phone } = contact;
      const bridge = bridges.find((each) => each.channelId === channel.id);
      const seen = { phone, conversationId, status, messages };
      if (bridge === undefined) recorder.seen(op, seen, 'reader');
      else recorder.seen('read-bridge', { ...seen, engine: bridge.engine }, 'reader');
    });
    await Promise.all(some);
  }
  for (const deal of await everyPage(api, '/api/v1/deals', v.looseObject({}))) {
    recorder.seen('read-deal', deal, 'reader');
  }
  const contacts = await everyPage(api, '/api/v1/contacts', Contact);
  for (const [phone, all] of Map.groupBy(contacts, ({ phone: known, id }) => known ?? id)) {
    recorder.seen('read-contact', { phone, contacts: all }, 'reader');
  }
}

async function everyPage<S extends v.GenericSchema>(
  api: Caller,
  path: string,
  schema: S,
): Promise<v.InferOutput<S>[]> {
  const found: v.InferOutput<S>[] = [];
  const Page = v.array(schema);
  for (let page = 1; ; page++) {
    const query = `${path.includes('?') ? '&' : '?'}limit=${PAGE}&page=${page}`;
    const said = await api({ path: `${path}${query}` });
    if (said.type !== 'ok') throw new Error(`${path} was answered ${said.status}`);
    const some = v.parse(Page, dataOf(said.json));
    found.push(...some);
    if (some.length < PAGE) return found;
  }
}
