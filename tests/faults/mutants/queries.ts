/** Protections of queries: those that write are asked once, and a list waits for its owners. */
import type { Mutant } from './mutant.ts';

const HISTORY_ORDER = {
  test: 'tests/unit/actors/queries/conversations/history-order.test.ts',
};

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
  {
    name: 'a late message has the place of its arrival',
    file: 'actors/domain/conversation/history-order.ts',
    find: 'createdAt < historyTime(state) - LATE_MS',
    replace: 'createdAt < 0',
    caughtBy: 'simulation',
    from: 44,
  },
  {
    name: 'notes and scheduled messages are nothing that a message can be late to',
    file: 'actors/domain/conversation/history-order.ts',
    find: 'return Math.max(lastMessageAt, historyAt);',
    replace: 'return historyAt > 0 ? lastMessageAt : historyAt;',
    caughtBy: HISTORY_ORDER,
  },
  {
    name: 'a scheduled message keeps its place when it is released',
    file: 'actors/conversation/log/documents.ts',
    find: 'const place = isMoved(entry.message, at) ?',
    replace: 'const place = entry.seq < 0 ?',
    caughtBy: HISTORY_ORDER,
  },
  {
    name: 'a page has a place that was given after its total',
    file: 'actors/conversation/log/newest-first.ts',
    find: "ownPlace: { $exists: true }, 'ownPlace.seq': { $lte: end }, ...shown",
    replace: 'ownPlace: { $exists: true }, ...shown',
    caughtBy: HISTORY_ORDER,
  },
];
