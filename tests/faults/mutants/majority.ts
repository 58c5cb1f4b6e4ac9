/** Protections of what only the primary of a replica set has. */
import type { Mutant } from './mutant.ts';

const GROUP_WRITES = 'infra/adapters/mongo/group-writes.ts';
const IN_DOUBT = { test: 'tests/faults/fencing/no-majority.test.ts' };

export const OF_MAJORITY: readonly Mutant[] = [
  {
    name: 'changes that no majority has are taken for written',
    file: GROUP_WRITES,
    find: 'const judged = cause.writeErrors.size > 0 && cause.writeConcernErrors.length === 0;',
    replace: 'const judged = true;',
    caughtBy: IN_DOUBT,
  },
  {
    name: 'inserts that no majority has are taken for written',
    file: GROUP_WRITES,
    find: 'await db.command(command)',
    replace: 'await db.command(command).catch((cause) => cause.result ?? Promise.reject(cause))',
    also: [
      {
        find: 'if (answer.writeConcernError) throw new Error(answer.writeConcernError.errmsg);',
        replace: '',
      },
    ],
    caughtBy: IN_DOUBT,
  },
  {
    name: 'inserts that a primary was interrupted in are taken for written',
    file: GROUP_WRITES,
    find: 'await db.command(command)',
    replace:
      'await db.command(command).catch((cause) => cause.errorResponse ?? Promise.reject(cause))',
    caughtBy: IN_DOUBT,
  },
  {
    name: 'of a replica set the word of its primary is enough',
    file: 'infra/adapters/mongo/client.ts',
    find: "w: standalone ? 1 : 'majority'",
    replace: 'w: 1',
    caughtBy: { test: 'tests/faults/fencing/majority.test.ts' },
  },
];
