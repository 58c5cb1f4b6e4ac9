/** Protections of event streams: a connection misses nothing, and reads nothing beyond its key. */
import type { Mutant } from './mutant.ts';

const WORKER = { test: 'tests/unit/actors/subscription/stream-worker.test.ts' } as const;

export const OF_STREAMS: readonly Mutant[] = [
  {
    name: 'a stream’s next owner gives positions that its reader has behind it',
    file: 'actors/subscription/stream-cursor.ts',
    find: 'Math.max(FIRST, highest, after, position) + GAP',
    replace: 'Math.max(FIRST, highest, position) + GAP',
    caughtBy: WORKER,
  },
  {
    name: 'positions that are on record without their cursor count as read',
    file: 'actors/subscription/stream-log.ts',
    find: '(isUntold(at) ? [id] : [])',
    replace: '(at < 0 ? [id] : [])',
    caughtBy: WORKER,
  },
  {
    name: 'deliveries that lack the position their cursor names get a later one',
    file: 'actors/subscription/stream-log.ts',
    find: '(await this.read(given.filter((id) => !found.has(id)))).filter(isNew)',
    replace: '(await this.read([])).filter(isNew)',
    caughtBy: WORKER,
  },
  {
    name: 'a `Last-Event-ID` is lost with a first read that failed',
    file: 'gateway/events/asked-owners.ts',
    find: 'const acknowledged = this.#isAcknowledged ? undefined : call.lastEventId;',
    replace: `const acknowledged = this.#isAcknowledged ? undefined : call.lastEventId;
    this.#isAcknowledged = true;`,
    caughtBy: { test: 'tests/unit/gateway/events/asked-owners.test.ts' },
  },
  {
    name: 'what a stream’s client has acknowledged stays in memory',
    file: 'actors/subscription/stream-worker.ts',
    find: 'for (const id of ids) this.#unacknowledged?.delete(id);\n    if (wasFull',
    replace: 'if (wasFull',
    caughtBy: WORKER,
  },
  {
    name: 'a stream’s owner that knows no reader tells nobody of an event',
    file: 'actors/subscription/stream-worker.ts',
    find: '      if (this.#reader.mayAsk()) this.#hint();\n',
    replace: '',
    caughtBy: WORKER,
  },
  {
    name: 'a stream’s cursor goes with what is swept of it',
    file: 'actors/subscription/streams.ts',
    find: "const forgotten = { $unset: { orgId: '' } };",
    replace: "const forgotten = { $unset: { orgId: '', state: '' } };",
    caughtBy: WORKER,
  },
  {
    name: 'an owner whose tenure ends during a write tells of it',
    file: 'actors/subscription/stream-worker.ts',
    find: '!this.#closed && environment.leaseHeld()',
    replace: 'environment.leaseHeld()',
    caughtBy: WORKER,
  },
  {
    name: 'a stream’s key keeps its scope where the nudge that narrowed it is lost',
    file: 'actors/subscription/stream-source.ts',
    find: 'now - this.#readAt < FRESH_MS',
    replace: 'this.#readAt < now + FRESH_MS',
    caughtBy: WORKER,
  },
];
