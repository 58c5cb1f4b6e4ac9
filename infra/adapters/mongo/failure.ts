/** Readable messages of MongoDB connection failures: the driver's own describe its internals. */
import { MongoServerSelectionError } from 'mongodb';

/** The failure itself, or an error that people can read. */
export function connectFailure(cause: unknown): unknown {
  if (!(cause instanceof MongoServerSelectionError)) return cause;
  const { message } = cause;
  if (/timed out/.test(message)) return new Error(silenceOf(cause), { cause });
  if (/^connection .* closed$/.test(message)) {
    return new Error('the connection is closed at once; no MongoDB may be there', { cause });
  }
  return cause;
}

/** A server that answers may not be the expected one. */
function silenceOf({ reason }: MongoServerSelectionError): string {
  const seeks = reason?.type === 'ReplicaSetNoPrimary';
  const isAnswered = [...(reason?.servers.values() ?? [])].some(({ type }) => type !== 'Unknown');
  // Servers of no set, or of another one, are dropped from the list.
  if (!seeks || !(isAnswered || reason.servers.size === 0)) return 'no MongoDB answers there';
  return `no primary of the replica set ${reason.setName ?? ''} answers there`;
}
