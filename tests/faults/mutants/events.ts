/** Protections of events: each is published, and streams have them in the order of commits. */
import type { Mutant } from './mutant.ts';

const IN_DOUBT = { test: 'tests/faults/fencing/in-doubt-recovery.test.ts' } as const;
const ORDER = { test: 'tests/faults/fencing/stream-order.test.ts' } as const;
const RELEASED = { test: 'tests/faults/fencing/released-events.test.ts' } as const;

export const OF_EVENTS: readonly Mutant[] = [
  {
    name: 'an assignment or a resolution is not told',
    file: 'actors/conversation/actor.ts',
    find: '[...accepted.outbox, ...events, ...audited]',
    replace: '[...accepted.outbox, ...audited]',
    caughtBy: 'simulation',
  },
  {
    name: 'a conversation that leaves resolved into a flow is not told as reopened',
    file: 'actors/domain/conversation/facts.ts',
    find: 'was && !is',
    replace: "was && after.status === 'open'",
    caughtBy: { test: 'tests/unit/actors/domain/conversation/facts.test.ts' },
  },
  {
    name: 'a contact that is made or changed is not told',
    file: 'actors/contact/actor.ts',
    find: '[...events, ...others]',
    replace: '[...others]',
    caughtBy: 'simulation',
  },
  {
    name: 'a contact that stays as it was is told as changed',
    file: 'actors/contact/events.ts',
    find: 'if (changed?.length === 0) return [];',
    replace: '',
    caughtBy: 'simulation',
  },
  {
    name: 'an event that a stream alone hears is left out of its commit',
    file: 'actors/organization/audience.ts',
    find: '[...webhooks, ...liveStreams(state, clock.now() - CLOCK_SKEW_MS)]',
    replace: 'webhooks',
    caughtBy: { test: 'tests/unit/actors/organization/audience.test.ts' },
  },
  {
    name: 'what a crash left in outboxes is not handed on',
    file: 'actors/conversation/kind.ts',
    find: 'unpublished.publish({ partition, epoch }, (entries) => republish(parts, entries, epoch));',
    replace: 'Promise.resolve();',
    caughtBy: 'simulation',
    from: 2,
  },
  {
    name: 'a turn writes to the log after its partition is lost',
    file: 'actors/conversation/actor.ts',
    find: '    this.log.close();\n',
    replace: '',
    caughtBy: RELEASED,
  },
  {
    name: 'an event does not name those of its entity that are on their way',
    file: 'actors/outbox/relay.ts',
    find: '[...underWay, ...found]',
    replace: '[...found]',
    caughtBy: ORDER,
  },
  {
    name: 'while a turn is in doubt, the next events do not look for its own',
    file: 'actors/outbox/relay.ts',
    find: '[...underWay, ...found]',
    replace: '[...underWay]',
    caughtBy: ORDER,
  },
  {
    name: 'a stream writes an event ahead of those that it names',
    file: 'actors/subscription/streams/predecessors.ts',
    find: 'if (before && ',
    replace: 'if (!before && ',
    caughtBy: ORDER,
  },
  {
    name: 'what a crash left is published in the order of the log alone',
    file: 'actors/conversation/turns/republish.ts',
    find: 'byNumber(a.item, b.item)',
    replace: '0',
    caughtBy: ORDER,
  },
  ...['withdrawn', 'completed'].map(
    (kept): Mutant => ({
      name: `a commit of positions that was executed in part is only ${kept}`,
      file: 'actors/subscription/streams/log.ts',
      find: '[...withdrawn, ...completed]',
      replace: kept,
      caughtBy: { test: 'tests/unit/actors/subscription/streams/positions.test.ts' },
    }),
  ),
  {
    name: 'a position between two owners is taken for told',
    file: 'actors/subscription/streams/cursor.ts',
    find: 'at > gap.after && at <= gap.upTo',
    replace: 'at > gap.upTo',
    caughtBy: { test: 'tests/unit/actors/subscription/streams/positions.test.ts' },
  },
  {
    name: 'a conversation is not told of its turns in doubt',
    file: 'actors/conversation/kind.ts',
    find: '    doubt: (key, until) => unpublishedEvents.doubt(key, until),\n',
    replace: '',
    caughtBy: RELEASED,
  },
  {
    name: 'what is not recorded yet does not go ahead on a stream',
    file: 'actors/subscription/streams/predecessors.ts',
    find: '  await insertAll(environment, others);',
    replace: '  others.length = 0;',
    caughtBy: ORDER,
  },
  {
    name: 'what was recorded behind a page does not go ahead on a stream',
    file: 'actors/subscription/streams/predecessors.ts',
    find: '[...recorded.filter((each) => isNew(each) && isOfStream(each)), ...others]',
    replace: 'others',
    caughtBy: ORDER,
  },
  {
    name: 'an outbox that grows while it is published stays',
    file: 'actors/outbox/unpublished-outbox.ts',
    find: 'flight !== undefined && outbox.some',
    replace: 'flight === undefined && outbox.some',
    caughtBy: { test: 'tests/faults/fencing/unpublished-outbox.test.ts' },
  },
  {
    name: 'a turn in doubt opens no look for its events',
    file: 'actors/runtime/in-doubt-recovery.ts',
    find: '    kind.doubt?.(key, this.#settings.clock.monotonic() + DOUBT_MS);\n',
    replace: '',
    caughtBy: IN_DOUBT,
  },
  {
    name: 'what a failed turn has committed late is not recovered',
    file: 'actors/runtime/in-doubt-recovery.ts',
    find: 'of [FIRST_MS, LATE_MS])',
    replace: 'of [FIRST_MS])',
    caughtBy: IN_DOUBT,
  },
  {
    name: 'what an earlier owner has committed late is not recovered',
    file: 'actors/runtime/in-doubt-recovery.ts',
    find: 'for (const recover of batch) void recover();',
    replace: 'batch.length = 0;',
    caughtBy: IN_DOUBT,
  },
];
