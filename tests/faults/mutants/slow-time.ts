/** Protections of state that a process forgets and finds again: only slow worlds miss them. */
import type { Mutant } from './mutant.ts';

export const OF_SLOW_TIME: readonly Mutant[] = [
  {
    name: 'a breaker that is opened again loses its writes and believes that they landed',
    file: 'actors/subscription/deliveries/breaker-record.ts',
    find: 'if (state.epoch === this.#owner.epoch) this.#revision = state.revision + REVISION_GAP;',
    replace: '',
    also: [{ find: 'await this.#readBack();', replace: 'this.outage.confirm(series);' }],
    caughtBy: 'slow worlds',
    from: 133,
  },
  {
    name: 'entries are cleared although a lost lease has dropped their snapshots',
    file: 'actors/conversation/log/pending-snapshots.ts',
    find: 'this.#clears = this.#clears.filter(isHeld);',
    replace: '',
    also: [
      {
        find: 'return clears.filter((each) => this.holds(each));',
        replace: 'return clears;',
      },
    ],
    caughtBy: { test: 'tests/faults/fencing/lost-lease.test.ts' },
  },
  {
    name: 'the commands of a keyed call are forgotten after 30 s',
    file: 'actors/domain/completed-commands.ts',
    find: 'lasting ? LASTING_COMMAND_RETENTION_MS : PLAIN_COMMAND_RETENTION_MS',
    replace: 'lasting ? PLAIN_COMMAND_RETENTION_MS : PLAIN_COMMAND_RETENTION_MS',
    caughtBy: { test: 'tests/faults/fencing/keyed-calls.test.ts' },
  },
  {
    name: 'an owner without a lease answers the snapshot barrier',
    file: 'actors/conversation/kind.ts',
    find: '  if (!environment.leaseHeld()) return [];\n  const recovered',
    replace: '  const recovered',
    also: [
      {
        find: '  await snapshotWriter.flush();\n  if (!environment.leaseHeld()) return [];',
        replace: '  await snapshotWriter.flush();',
      },
    ],
    caughtBy: 'slow worlds',
    from: 144,
  },
];
