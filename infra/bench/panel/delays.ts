/** Delay of a contact's message: from the network's webhook to the pixel of each open page. */
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../rounds.ts';
import type { Pages } from './pages.ts';
import { markedText, type Painted } from './painted.ts';

/** Within it every message is on every page. */
const PAINTED_WITHIN_MS = 15_000;
const POLL_MS = 100;
/** Fraction of the golden ratio: due times are spread evenly over all phases of a period. */
const SPREAD = 0.618_034;

export interface Contacts {
  readonly sandboxUrl: string;
  readonly channelId: string;
  /** They write in turn. The first one's conversation is open in the first page. */
  readonly phones: readonly string[];
}

export interface DelayPlan {
  readonly perSecond: number;
  readonly seconds: number;
  /** Number of the first message: a page notes each number once. */
  readonly from: number;
}

export interface Delays {
  readonly list: readonly number[];
  readonly thread: readonly number[];
}

/** A contact writes through the network. Resolves when the service has taken the webhook. */
export async function write(
  { sandboxUrl, channelId, phones }: Contacts,
  { from, text }: { readonly from: number; readonly text: string },
): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/control/inbound`, {
    method: 'POST',
    body: JSON.stringify({
      channelId,
      from: phones[from],
      name: `Contato ${from}`,
      text,
    }),
  });
  if (!answer.ok) throw new Error(`a contact's message was answered ${answer.status}`);
  await answer.body?.cancel();
}

/**
 * Time begins ahead of the request to the simulator, which posts the webhook at once.
 * @throws when a message is missing on a page
 */
export async function measureDelays(
  contacts: Contacts,
  pages: Pages,
  { perSecond, seconds, from }: DelayPlan,
): Promise<Delays> {
  const total = Math.round(perSecond * seconds);
  const sentAt = new Map<number, number>();
  const writes: Promise<void>[] = [];
  const startedAt = performance.now();
  const many = contacts.phones.length;
  for (let at = 0; at < total; at++) {
    const dueAt = startedAt + ((at + ((at * SPREAD) % 1)) * 1000) / perSecond;
    await pause(Math.max(0, dueAt - performance.now()));
    const n = from + at;
    sentAt.set(n, Date.now());
    writes.push(write(contacts, { from: n % many, text: markedText(n) }));
  }
  await Promise.all(writes);
  const inThread = [...sentAt.keys()].filter((n) => n % many === 0).length;
  const painted = await allPainted(pages, { list: total, thread: inThread });
  return {
    list: delaysOf(painted.flat(), 'list', sentAt),
    thread: delaysOf(painted.flat(), 'thread', sentAt),
  };
}

interface Expected {
  /** On every page. */
  readonly list: number;
  /** On the first page. */
  readonly thread: number;
}

async function allPainted(pages: Pages, { list, thread }: Expected): Promise<Painted[][]> {
  const until = performance.now() + PAINTED_WITHIN_MS;
  let painted: Painted[][] = [];
  for (;;) {
    const taken = await pages.takePainted();
    painted = taken.map((each, at) => [...(painted[at] ?? []), ...each]);
    const wanted = painted.map((_, at) => list + (at === 0 ? thread : 0));
    if (painted.every((each, at) => each.length === wanted[at])) return painted;
    if (performance.now() > until) {
      const counts = painted.map((each, at) => `${each.length} of ${wanted[at]}`);
      throw new Error(`not every message was painted: ${counts.join(', ')}`);
    }
    await pause(POLL_MS);
  }
}

function delaysOf(
  painted: readonly Painted[],
  place: Painted['place'],
  sentAt: ReadonlyMap<number, number>,
): readonly number[] {
  return painted
    .filter((each) => each.place === place)
    .map(({ n, at }) => at - (sentAt.get(n) ?? Number.NaN))
    .toSorted((a, b) => a - b);
}

/** p50, p95, p99 and the slowest. */
export function spreadOf(sorted: readonly number[]): readonly number[] {
  return [
    ...[0.5, 0.95, 0.99].map((share) => quantile(sorted, share)),
    sorted.at(-1) ?? Number.NaN,
  ];
}
