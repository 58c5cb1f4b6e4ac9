/** Protections of queries: those that write are asked once, and a list waits for its owners. */
import type { Mutant } from './mutant.ts';

export const OF_QUERIES: readonly Mutant[] = [
  {
    name: 'an overloaded store is asked twice for everything',
    file: 'infra/adapters/nats/hedge-budget.ts',
    find: 'if (hedges + 1 > BURST + SHARE * queries) return false;',
    replace: '',
    caughtBy: { test: 'tests/unit/infra/adapters/nats/hedge-budget.test.ts' },
  },
  {
    name: 'a claim of a call is asked of two processes',
    file: 'shared/wire/hedged-queries.ts',
    find: "'idempotency-claim': 'alone'",
    replace: "'idempotency-claim': 'hedged'",
    caughtBy: { test: 'tests/unit/shared/wire/hedged-queries.test.ts' },
  },
  {
    name: 'a silent process gets further queries',
    file: 'infra/adapters/nats/responders.ts',
    find: 'if (answeredAt !== undefined && answeredAt < askedAt) this.gone(subject);',
    replace: '',
    caughtBy: { test: 'tests/unit/infra/adapters/nats/responders.test.ts' },
  },
  {
    name: 'a list waits for no owner',
    file: 'actors/conversation/log/read-barrier.ts',
    find: 'if (missing.size === 0) return;',
    replace: 'if (missing.size >= 0) return;',
    caughtBy: { test: 'tests/unit/actors/conversation/log/read-barrier.test.ts' },
  },
  {
    name: 'owners that were asked before a list came answer for it',
    file: 'actors/conversation/log/read-barrier.ts',
    find: 'for (const waiting of asked) this.#note',
    replace: 'for (const waiting of this.#waiting) this.#note',
    caughtBy: { test: 'tests/unit/actors/conversation/log/read-barrier.test.ts' },
  },
  {
    name: 'an owner answers for a partition whose recovery has not ended, or has failed',
    file: 'actors/conversation/kind.ts',
    find: 'recovery?.hasEnded ?',
    replace: 'recovery ?',
    caughtBy: { test: 'tests/faults/fencing/snapshot-barrier.test.ts' },
  },
  {
    name: 'a list misses the conversations of a removed channel',
    file: 'actors/conversation/log/read-barrier.ts',
    find: 'organization?.channels.map(',
    replace: 'organization?.channels.filter(({ removed }) => removed !== true).map(',
    caughtBy: { test: 'tests/unit/actors/conversation/log/read-barrier.test.ts' },
  },
];
