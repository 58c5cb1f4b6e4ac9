/** What a MongoDB server answers when it could not, or cannot say. */

/** By code; a server's own names. */
export const CODES = {
  50: { codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' },
  64: { codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out' },
  91: { codeName: 'ShutdownInProgress', errmsg: 'the server is in quiesce mode' },
  189: { codeName: 'PrimarySteppedDown', errmsg: 'primary stepped down while waiting' },
  10107: { codeName: 'NotWritablePrimary', errmsg: 'not primary' },
  11602: {
    codeName: 'InterruptedDueToReplStateChange',
    errmsg: 'operation was interrupted',
  },
  13435: { codeName: 'NotPrimaryNoSecondaryOk', errmsg: 'not primary and secondaryOk=false' },
} as const;
export type Code = keyof typeof CODES;

/** A driver's own retry is no news to a server that is not there, is going or has gone. */
export const RETRYABLE: ReadonlySet<Code> = new Set([91, 189, 10107, 11602, 13435]);

export const HELLO = /^(hello|ismaster)$/i;

/** Any member answers them. */
export const ANYWHERE: ReadonlySet<string> = new Set([
  ...['ping', 'buildInfo', 'endSessions', 'killCursors', 'serverStatus', 'hostInfo'],
]);

export const WRITES: ReadonlySet<string> = new Set([
  ...['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'],
  ...['create', 'createIndexes', 'drop', 'dropIndexes', 'dropDatabase'],
]);

/** A pipeline or an expression of these may name the server's time. */
export const TIMED: ReadonlySet<string> = new Set([
  ...['find', 'aggregate', 'count', 'update', 'delete', 'findAndModify'],
]);

/** What becomes of a command. All but `cut-before` are passed on to the engine. */
export type Fate =
  | 'cut-before'
  | 'cut-after'
  /** The answer is held back until all is healed. */
  | 'late'
  /** Applied, and no majority has said so. */
  | { readonly concern: Code }
  /** Applied, and answered as if it had failed. */
  | { readonly error: Code };

/** Null: nothing befalls it. */
export type Trouble = (command: {
  readonly name: string;
  readonly isWrite: boolean;
}) => Fate | null;
