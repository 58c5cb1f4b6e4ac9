/** Protections of writes that lose to the record without a report. */
import type { Mutant } from './mutant.ts';

export const OF_OUTAGES: readonly Mutant[] = [
  {
    name: 'deliveries are parked under a series that is not on record',
    file: 'actors/subscription/deliveries/breaker-record.ts',
    find: 'await commit(this.#environment, [this.#write()]);',
    replace: 'this.outage.confirm(series);',
    caughtBy: { test: 'tests/unit/actors/subscription/deliveries/parked-by-outage.test.ts' },
  },
  {
    name: 'a desk that is opened again writes its breaker below what is on record',
    file: 'actors/subscription/deliveries/breaker-record.ts',
    find: 'if (state.epoch === this.#owner.epoch) this.#revision = state.revision + REVISION_GAP;',
    replace: '',
    caughtBy: { test: 'tests/unit/actors/subscription/deliveries/second-outage.test.ts' },
  },
  {
    name: 'the name of an outage is believed without being read back',
    file: 'actors/subscription/deliveries/breaker-record.ts',
    find: 'await this.#readBack();',
    replace: 'this.outage.confirm(series);',
    caughtBy: { test: 'tests/unit/actors/subscription/deliveries/second-outage.test.ts' },
  },
  {
    name: 'a late receipt of a superseded owner lowers the status',
    file: 'actors/domain/conversation/network-message.ts',
    find: 'Math.max(revision + 1, STATUS_RANK[status] * REVISIONS_PER_STATUS)',
    replace: 'revision + 1',
    caughtBy: { test: 'tests/faults/fencing/late-receipt.test.ts' },
  },
  {
    name: 'rate windows that are read again are written below what is on record',
    file: 'actors/organization/rate-windows.ts',
    find: 'firstStamp(epoch, known?.stamp)',
    replace: 'firstStamp(epoch)',
    caughtBy: { test: 'tests/faults/fencing/rate-windows.test.ts' },
  },
  {
    name: 'a series ends before what comes late has landed',
    file: 'actors/subscription/deliveries/outage-series.ts',
    find: 'if (monotonic - since < LATE_MS) return false;',
    replace: '',
    caughtBy: { test: 'tests/unit/actors/subscription/deliveries/parked-by-outage.test.ts' },
  },
  {
    name: 'a backlog of deliveries goes on with the next poll',
    file: 'actors/subscription/deliveries/worker-state.ts',
    find: 'if (this.queue.size > before && this.queue.size >= LOW_WATER) this.#needsRefill = true;',
    replace: '',
    caughtBy: { test: 'tests/parts/actors/subscription/bounds.test.ts' },
  },
];
