/** Protections of events: each is published, in the order of the commits of its conversation. */
import type { Mutant } from './mutant.ts';

const RELEASED = { test: 'tests/faults/fencing/released-events.test.ts' } as const;

export const OF_EVENTS: readonly Mutant[] = [
  {
    name: 'what a crash left in outboxes is not handed on',
    file: 'actors/conversation/kind.ts',
    find: 'unpublished.publish({ partition, epoch }, (entries) => republish(parts, entries, epoch));',
    replace: 'Promise.resolve();',
    caughtBy: 'simulation',
    from: 13,
  },
  {
    name: 'a lost process publishes what its turn has committed',
    file: 'actors/conversation/actor.ts',
    find: '    if (this.log.isClosed) return;\n',
    replace: '',
    caughtBy: RELEASED,
  },
  {
    name: 'a lost process publishes what it has recovered',
    file: 'actors/conversation/outbox-recovery.ts',
    find: 'isHeld() ? [] : null',
    replace: 'isHeld() ? [] : []',
    caughtBy: RELEASED,
  },
  {
    name: 'a turn writes to the log after its partition is lost',
    file: 'actors/conversation/actor.ts',
    find: '    this.log.close();\n',
    replace: '',
    caughtBy: RELEASED,
  },
  {
    name: 'a lost process hides what it has recovered from the next tenure',
    file: 'actors/conversation/outbox-recovery.ts',
    find: '    if (isHeld()) this.#orderOf',
    replace: '    this.#orderOf',
    caughtBy: { test: 'tests/faults/fencing/event-order.test.ts' },
  },
  {
    name: 'an outbox that grows while it is published stays',
    file: 'actors/outbox/unpublished-outbox.ts',
    find: 'flight !== undefined && outbox.some',
    replace: 'flight === undefined && outbox.some',
    caughtBy: { test: 'tests/faults/fencing/unpublished-outbox.test.ts' },
  },
];
