/** Protections of scheduled messages. */
import type { Mutant } from './mutant.ts';

export const OF_SCHEDULED: readonly Mutant[] = [
  {
    name: 'a scheduled message can be settled twice',
    file: 'actors/domain/settlement.ts',
    find: "[messageId, 'settled'].join('-')",
    replace: "[messageId, 'settled', performance.now()].join('-')",
    caughtBy: 'simulation',
    from: 11,
  },
  {
    name: 'nobody looks at the contact again when a scheduled message is marked',
    file: 'actors/channel/dispatch-batch.ts',
    find: 'if (message?.schedule === undefined && !isMarketing) return true;',
    replace: 'if (entry.seq > 0) return true;',
    caughtBy: 'simulation',
    from: 11,
  },
  {
    name: 'a released message does not hold back those behind it',
    file: 'actors/channel/sending-order.ts',
    find: "return entry?.settles ? store.byId('entries', entry.settles.messageId) : entry;",
    replace: 'return entry;',
    caughtBy: { test: 'tests/unit/actors/channel/sending-order.test.ts' },
  },
  {
    name: 'a settlement that a crash left is not applied',
    file: 'actors/conversation/republish.ts',
    find: '    const message = await applySettlement(store, entry);',
    replace: '    const message = entry.settles ? null : await applySettlement(store, entry);',
    caughtBy: { test: 'tests/faults/fencing/settlements.test.ts' },
  },
];
