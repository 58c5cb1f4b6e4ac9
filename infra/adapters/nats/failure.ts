/** Readable messages for the client library's connection failures: its own are codes. */
import { ErrorCode, NatsError } from 'nats';

const SENTENCES: Readonly<Record<string, string>> = {
  [ErrorCode.ConnectionRefused]: 'nothing listens there',
  [ErrorCode.ConnectionTimeout]: 'no NATS server answers there',
  [ErrorCode.Timeout]: 'no NATS server answers there',
  [ErrorCode.AuthorizationViolation]: 'the server refuses these credentials',
  [ErrorCode.AuthenticationExpired]: 'the credentials have expired',
};

/** Returns the attempt's result, or throws a readable error. */
export async function translated<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (cause) {
    if (!(cause instanceof NatsError)) throw cause;
    const known = cause.chainedError?.message ?? SENTENCES[cause.code];
    throw known === undefined ? cause : new Error(known, { cause });
  }
}
