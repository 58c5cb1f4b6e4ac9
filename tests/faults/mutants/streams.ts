/** Protections of event streams: a connection misses nothing, and reads nothing beyond its key. */
import type { Mutant } from './mutant.ts';

const WORKER = { test: 'tests/unit/actors/subscription/streams/worker.test.ts' } as const;
const POSITIONS = {
  test: 'tests/unit/actors/subscription/streams/positions.test.ts',
} as const;
const RECORDER = {
  test: 'tests/unit/actors/subscription/streams/recorder.test.ts',
} as const;
const FAN_OUT = { test: 'tests/unit/actors/subscription/fan-out.test.ts' } as const;

export const OF_STREAMS: readonly Mutant[] = [
  {
    name: 'an event leaves its outbox before a stream has it',
    file: 'actors/subscription/fan-out.ts',
    find: 'if ((await Promise.all(asked)).includes(false)) return false;',
    replace: '',
    caughtBy: FAN_OUT,
  },
  {
    name: 'an event leaves its outbox although the lease ended before a stream had it',
    file: 'actors/subscription/fan-out.ts',
    find: '.includes(false)) return false;',
    replace: '.length < 0) return false;',
    caughtBy: FAN_OUT,
  },
  {
    name: 'a webhook waits for the streams of its organization',
    file: 'actors/subscription/fan-out.ts',
    find: '    await this.#recordForWebhooks(state, events);\n',
    replace: '',
    also: [
      {
        find: '    if (live.hasListeners',
        replace: '    await this.#recordForWebhooks(state, events);\n    if (live.hasListeners',
      },
    ],
    caughtBy: FAN_OUT,
  },
  {
    name: 'a stream’s owner answers for what it has recorded after its lease',
    file: 'actors/subscription/streams/recorder.ts',
    find: '    this.#assertLease();\n    return inserted;',
    replace: '    return inserted;',
    caughtBy: RECORDER,
  },
  {
    name: 'what a stream that began anew has dropped is counted for the one before',
    file: 'actors/subscription/streams/overflow.ts',
    find: '    if (tooMany > 0 && (await this.#beginNew())) tooMany = await this.#countTooMany();\n',
    replace: '    void this.#beginNew;\n',
    caughtBy: { test: 'tests/unit/actors/subscription/streams/limits.test.ts' },
  },
  {
    name: 'who commits has streams end by its own clock',
    file: 'actors/subscription/fan-out.ts',
    find: 'clock.now() - CLOCK_SKEW_MS',
    replace: 'clock.now()',
    caughtBy: FAN_OUT,
  },
  {
    name: 'a stream’s owner gives places after its lease',
    file: 'actors/subscription/streams/recorder.ts',
    find: '    this.#assertLease();\n    const stream',
    replace: '    const stream',
    caughtBy: RECORDER,
  },
  {
    name: 'a stream’s owner gives places ahead of those of its organization’s owner',
    file: 'actors/subscription/streams/recorder.ts',
    find: "BY_STREAM = 's'",
    replace: "BY_STREAM = ''",
    caughtBy: RECORDER,
  },
  {
    name: 'a stream that has ended, or began anew, records what an earlier one has heard',
    file: 'actors/subscription/streams/recorder.ts',
    find: '    if (!(await source.isLive(orgId, generation))) return 0;\n',
    replace: '',
    caughtBy: RECORDER,
  },
  {
    name: 'a stream that has just begun is not known to its owner for a second',
    file: 'actors/subscription/streams/source.ts',
    find: '    this.invalidate();\n    return (await this.read(orgId))',
    replace: '    return (await this.read(orgId))',
    caughtBy: RECORDER,
  },
  {
    name: 'a stream’s next owner gives positions that its reader has behind it',
    file: 'actors/subscription/streams/cursor.ts',
    find: 'Math.max(FIRST, highest, after, position) + GAP',
    replace: 'Math.max(FIRST, highest, position) + GAP',
    caughtBy: POSITIONS,
  },
  {
    name: 'positions that are on record without their cursor count as read',
    file: 'actors/subscription/streams/log.ts',
    find: '(isUnreported(at) ? [id] : [])',
    replace: '(at < 0 ? [id] : [])',
    caughtBy: POSITIONS,
  },
  {
    name: 'a position that an owner’s own lost commit writes late is not looked for',
    file: 'actors/subscription/streams/log.ts',
    find: '    this.#lateUntil = this.#environment.clock.monotonic() + LATE_MS;',
    replace: '    this.#lateUntil ||= this.#environment.clock.monotonic() + LATE_MS;',
    caughtBy: POSITIONS,
  },
  {
    name: 'deliveries that lack the position their cursor names get a later one',
    file: 'actors/subscription/streams/log.ts',
    find: '.filter((each) => isNew(each) || isUnreported(each.state.position ?? 0))',
    replace: '.filter(() => false)',
    caughtBy: POSITIONS,
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
    name: 'a connection of an ended stream reads the next one of its name',
    file: 'actors/subscription/streams/source.ts',
    find: 'generation === undefined || createdAt === generation',
    replace: 'generation === undefined || createdAt > 0',
    caughtBy: WORKER,
  },
  {
    name: 'a connection of an ended stream is pushed what the next one of its name has',
    file: 'actors/subscription/streams/feed.ts',
    find: 'stream?.createdAt === cursor.generation && cursor.dropped',
    replace: 'cursor.dropped',
    caughtBy: WORKER,
  },
  {
    name: 'a connection does not say which stream of its name it was opened for',
    file: 'gateway/events/asked-owners.ts',
    find: '...(generation === undefined ? {} : { generation })',
    replace: '',
    caughtBy: { test: 'tests/unit/gateway/events/asked-owners.test.ts' },
  },
  {
    name: 'the end of an ended stream’s connection is taken for that of the next one’s',
    file: 'actors/subscription/streams/reader.ts',
    find: 'generation === this.#generation && connection >=',
    replace: 'connection >=',
    caughtBy: WORKER,
  },
  {
    name: 'what a stream’s client has acknowledged stays in memory',
    file: 'actors/subscription/streams/unacknowledged.ts',
    find: 'for (const id of ids) this.#positions.delete(id);\n    return wasFull',
    replace: 'return wasFull',
    caughtBy: WORKER,
  },
  {
    name: 'a stream’s owner that knows no reader tells nobody of an event',
    file: 'actors/subscription/streams/feed.ts',
    find: '      if (reader.mayAsk(this.#now)) this.hint();\n',
    replace: '',
    caughtBy: WORKER,
  },
  {
    name: 'a stream’s cursor goes with what is swept of it',
    file: 'actors/subscription/streams/streams.ts',
    find: "const forgotten = { $unset: { orgId: '' } };",
    replace: "const forgotten = { $unset: { orgId: '', state: '' } };",
    caughtBy: WORKER,
  },
  {
    name: 'an owner whose tenure ends during a write tells of it',
    file: 'actors/subscription/streams/worker.ts',
    find: '!work.isOver && environment.leaseHeld()',
    replace: 'environment.leaseHeld()',
    caughtBy: WORKER,
  },
  {
    name: 'a stream’s key keeps its scope where the nudge that narrowed it is lost',
    file: 'actors/subscription/streams/source.ts',
    find: 'now - this.#readAt < FRESH_MS',
    replace: 'this.#readAt < now + FRESH_MS',
    caughtBy: WORKER,
  },
];
