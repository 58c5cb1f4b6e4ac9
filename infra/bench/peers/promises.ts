/** What each side promises, by its documentation and its source, as of the versions measured. */
import type { Table } from '../suite.ts';

const SIDES = ['recado', 'restate', 'moleculer'];

const YOURS = 'your code';

const ROWS: readonly (readonly [promise: string, ...bySide: readonly string[]])[] = [
  ['it is', 'a messaging engine', 'an engine of durable execution', 'a microservices framework'],
  ['durable ahead of the answer', 'yes, journaled', 'yes, a log with fsync', YOURS],
  ['order of a conversation', 'yes', 'yes, of an object', YOURS],
  [
    'a send whose answer is lost',
    'once if a status or a look-up decides, else at least once',
    'at least once: a step without a result is run again',
    YOURS,
  ],
  ['an event', 'at least once, one id', 'at least once', 'at most once; stored by `channels`'],
  ['a subscriber that fails', '7 attempts, breaker, parked', '70 attempts, paused', YOURS],
  ['a failed event again, by hand', 'yes', 'yes', YOURS],
  ['signed webhooks', 'yes', YOURS, YOURS],
  ['a call that is repeated', '`Idempotency-Key`', '`Idempotency-Key`', YOURS],
  ['limits', 'of a number, a key, a tenant', 'of concurrency, opt-in', 'of calls at the gateway'],
  ['tenants, keys, scopes', 'yes', 'a proxy of yours', YOURS],
  ['contacts, threads, flows', 'yes', YOURS, YOURS],
  ['a panel', 'of the work', 'of the invocations', 'a project of its own'],
  ['any code as durable steps', 'no', 'yes, in six languages', 'no'],
  ['licence', 'Apache-2.0', 'BSL (server), MIT', 'MIT'],
];

export const PROMISES: Table = {
  title: 'What each promises',
  columns: ['promise', ...SIDES].map((name) => ({ name, unit: '' })),
  rows: ROWS,
};
