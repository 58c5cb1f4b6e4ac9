/** The one place where errors of sockets, TLS, the resolver and undici are recognised. */

export type NetworkFailureKind =
  | 'blocked_address'
  | 'timeout'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'network';

export interface NetworkFailure {
  readonly kind: NetworkFailureKind;
  /** At most 200 characters, for the attempt's record. */
  readonly error: string;
}

const ERROR_MAX_CHARS = 200;

const KINDS: readonly (readonly [NetworkFailureKind, RegExp])[] = [
  ['blocked_address', /^RECADO_BLOCKED_ADDRESS$/],
  ['timeout', /^(RECADO_DEADLINE|ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/],
  ['dns', /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_[A-Z]+)$/],
  ['refused', /^ECONNREFUSED$/],
  ['reset', /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/],
  ['tls', /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/],
  ['tls', /^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERROR_IN_C.*_FIELD)/],
];

/** The deadline of one exchange has passed. */
export class DeadlineError extends Error {
  readonly code = 'RECADO_DEADLINE';
}

/** Describes the failure of an exchange without a response head. */
export function readNetworkFailure(thrown: unknown): NetworkFailure {
  const chain = errorsIn(thrown);
  const text = chain.find((error) => error.message !== '')?.message ?? 'unknown';
  for (const [kind, pattern] of KINDS) {
    const match = chain.find((error) => pattern.test(codeOf(error)));
    if (match) return { kind, error: (match.message || text).slice(0, ERROR_MAX_CHARS) };
  }
  return { kind: 'network', error: text.slice(0, ERROR_MAX_CHARS) };
}

/** The error, what it was caused by, and what an aggregate gathers; each at most a few deep. */
function errorsIn(thrown: unknown, depth = 0): readonly Error[] {
  if (!(thrown instanceof Error) || depth > 4) return [];
  const gathered = thrown instanceof AggregateError ? thrown.errors : [];
  const below = [...gathered, thrown.cause].flatMap((error) => errorsIn(error, depth + 1));
  return [thrown, ...below];
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
