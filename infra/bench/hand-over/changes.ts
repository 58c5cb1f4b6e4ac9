/** Calls at a steady rate while members change, and how long the calls of each change waited. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { machineMs } from '../machine-clock.ts';
import { type Call, runOpenLoop } from '../open-loop.ts';
import { organizationsFile, tokenOf } from '../organization.ts';
import type { BenchService } from '../service.ts';
import type { Context } from '../suite.ts';
import { until } from '../until.ts';

const PER_SECOND = 200;
const CONVERSATIONS = 1_000;
/** Several: the one whose owner changes has to wait for its admissions too. */
const ORGANIZATIONS = 8;
/** Of each; all together divide the conversations, so that a contact keeps its channel. */
const CHANNELS = 5;
/** More than the calls that are due while a partition has no owner. */
const CONNECTIONS = 512;
/** A load ends with its last change. */
const SECONDS_MAX = 600;
const CREATED = 201;

/** For the notes of a report. */
export const LOAD =
  `open loop, ${PER_SECOND} calls/s over ${CONVERSATIONS} conversations ` +
  `of ${ORGANIZATIONS} organizations and ${ORGANIZATIONS * CHANNELS} numbers`;

export interface HandOverStage {
  readonly context: Context;
  readonly service: BenchService;
  readonly entries: Collection;
  readonly bodies: readonly string[];
  /** One per body. */
  readonly tokens: readonly string[];
}

/** A change of members under the load. */
export interface Change {
  readonly name: string;
  /** Makes it and waits for its end; the time at which it took its last effect. */
  make(): Promise<number>;
}

export interface Changed {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  /** The longest time from a call's due time to its answer. */
  readonly longestMs: number;
  /** From the change's begin to its last effect. */
  readonly tookMs: number;
}

/** Organizations whose network answers at once. */
export async function stageOf(
  context: Context,
  service: BenchService,
  entries: Collection,
): Promise<HandOverStage> {
  const specs = Array.from({ length: ORGANIZATIONS }, (_, number) => ({
    ...{ ref: `org-${number}`, channels: CHANNELS, subscribers: [], events: [] },
  }));
  const { orgs } = await service.apply(organizationsFile(specs));
  const channels = specs.flatMap(({ ref }) =>
    Object.values(orgs[ref]?.channels ?? {}).map(({ id }) => ({ ref, id })),
  );
  const bodies = channels.map(({ id }) =>
    JSON.stringify({ channelId: id, phone: '{phone}', text: 'Mensagem de número {n}' }),
  );
  return { context, service, entries, bodies, tokens: channels.map(({ ref }) => tokenOf(ref)) };
}

/**
 * One load, and the changes one after the other under it.
 * @throws {Error} unless MongoDB contains every accepted message, and no more than were asked for
 */
export async function underLoad(
  stage: HandOverStage,
  changes: readonly Change[],
): Promise<readonly Changed[]> {
  const { context, service, entries, bodies, tokens } = stage;
  const count = () => entries.countDocuments({ 'message.direction': 'out' });
  const before = await count();
  const ending = new AbortController();
  const load = runOpenLoop(
    context.children,
    {
      port: Number(new URL(service.run().baseUrl).port),
      ...{ perSecond: PER_SECOND, seconds: SECONDS_MAX, connections: CONNECTIONS },
      ...{ path: '/api/v1/messages', token: [...tokens], bodies: [...bodies] },
      phones: CONVERSATIONS,
    },
    ending.signal,
  );
  const made = (async () => {
    await until(async () => (await count()) > before, 'the first call is accepted');
    await sleep(context.options.seconds * 1_000);
    const windows: Window[] = [];
    for (const { name, make } of changes) {
      const from = machineMs();
      windows.push({ name, from, tookMs: (await make()) - from });
    }
    return windows;
  })().finally(() => ending.abort());
  const [calls, windows] = await Promise.all([load, made]);
  const accepted = calls.filter(({ status }) => status === CREATED).length;
  const stored = (await count()) - before;
  if (stored < accepted || stored > calls.length) {
    throw new Error(`of ${calls.length} calls ${accepted} were accepted and ${stored} stored`);
  }
  return changedIn(windows, calls);
}

export interface Window extends Pick<Changed, 'name' | 'tookMs'> {
  /** Until the next one's. */
  readonly from: number;
}

/** Each call counts for the change during which it waited most. */
export function changedIn(windows: readonly Window[], calls: readonly Call[]): readonly Changed[] {
  const waited = ({ dueAt, answeredAt }: Call, at: number): number => {
    const until = Math.min(answeredAt, windows[at + 1]?.from ?? answeredAt);
    return until - Math.max(dueAt, windows[at]?.from ?? dueAt);
  };
  const placed = Map.groupBy(calls, (call) => {
    const waits = windows.map((_, at) => waited(call, at));
    const longest = Math.max(...waits);
    return longest > 0 ? waits.indexOf(longest) : -1;
  });
  return windows.map(({ name, tookMs }, at) => {
    const own = placed.get(at) ?? [];
    return {
      name,
      tookMs,
      calls: own.length,
      failed: own.filter(({ status }) => status !== CREATED).length,
      longestMs: Math.max(0, ...own.map(({ dueAt, answeredAt }) => answeredAt - dueAt)),
    };
  });
}
