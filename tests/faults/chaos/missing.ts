/**
 * Diagnosis of accepted messages that are missing in the history that was read: a wrong reading, a
 * delay or a loss. What was logged at that time is in the verdict’s story.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Message } from '../../../shared/api/message.ts';
import { historyOf } from './history.ts';
import type { LoadFixture } from './load-fixture.ts';
import { everyMessage } from './messages.ts';
import type { Recorded } from './records.ts';

/** Until it is read once more. */
const LATER_MS = 5_000;
const NEIGHBOURS = 4;

interface Missing {
  readonly text: string;
  readonly messageId: string;
  readonly answeredAt: number;
}

/** Accepted messages to a phone that are missing among those read. */
export function missingOf(
  records: readonly Recorded[],
  phone: string,
  read: readonly Message[],
): Missing[] {
  const there = new Set(read.map(({ id }) => id));
  return historyOf(records).calls.flatMap(({ request: { text = '', ...to }, answer, endedAt }) => {
    const { messageId } = answer ?? {};
    return to.phone === phone && messageId !== undefined && !there.has(messageId)
      ? [{ text, messageId, answeredAt: endedAt }]
      : [];
  });
}

/** As many lines as it takes; asks everybody who may know. */
export async function accountOf(
  { stack, org, subscriber }: LoadFixture,
  conversationId: string,
  missing: readonly Missing[],
): Promise<string> {
  await pause(LATER_MS);
  const later = await everyMessage(stack, org, conversationId);
  const sent = await stack.network.sent();
  const stored = await entriesOf(stack.runFile().mongodbUrl, conversationId);
  const told = missing.flatMap(({ text, messageId, answeredAt }) => {
    const told = subscriber.received.filter(({ data }) => data.messageId === messageId);
    const place = stored.findIndex((line) => line.includes(messageId));
    return [
      `${text} was accepted as ${messageId} at ${timeOf(answeredAt)} and was not read back`,
      `  read ${LATER_MS} ms later: ${yes(later.messages.some(({ id }) => id === messageId))}`,
      `  at the network: ${yes(sent.some((each) => each.text === text))}`,
      `  told: ${told.map(({ event }) => event).join(', ') || 'no'}`,
      `  in the store: ${yes(place >= 0)}; the last entries up to there`,
      ...stored.slice(0, place + 1 || stored.length).slice(-NEIGHBOURS),
    ];
  });
  const total = `later ${later.messages.length} messages are read of a total of ${later.total}`;
  return [...told, total].join('\n');
}

async function entriesOf(mongodbUrl: string, conversationId: string): Promise<string[]> {
  await using client = await MongoClient.connect(mongodbUrl, { serverSelectionTimeoutMS: 5_000 });
  const entries = client.db('recado').collection('entries').find({ conversationId });
  const projection = { seq: 1, message: 1, send: 1 };
  const found = await entries.project(projection).sort({ seq: 1 }).toArray();
  return found.map((entry, index) => {
    // Numbers are dense: a hole says that there was an entry once.
    const follows = index === 0 || found[index - 1]?.seq === entry.seq - 1;
    return `    ${follows ? '' : 'A HOLE BEFORE '}${JSON.stringify(entry)}`;
  });
}

function yes(is: boolean): string {
  return is ? 'yes' : 'no';
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
