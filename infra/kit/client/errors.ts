/** Errors of the client. */
import type * as declared from './api.ts';

type Issue = declared.Issue;

interface Refusal {
  readonly error?: unknown;
  readonly issues?: unknown;
}

export class RecadoError extends Error implements declared.RecadoError {
  readonly status: number;
  readonly sentence: string;
  readonly issues: readonly Issue[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, headers: Headers, body: unknown) {
    const { error, issues } = refusalOf(body);
    const sentence = typeof error === 'string' ? error : '';
    const listed = Array.isArray(issues) ? issues.filter(isIssue) : [];
    const fields = listed.map(({ path, message }) => ` ${path}: ${message}`).join('');
    super(`${status}${sentence && ` ${sentence}`}${fields}`);
    this.name = 'RecadoError';
    this.status = status;
    this.sentence = sentence;
    this.issues = listed;
    this.requestId = headers.get('x-request-id');
    this.retryAfterSeconds = secondsOf(headers.get('retry-after'));
  }
}

/** Seconds of a `Retry-After`; null without any. */
export function secondsOf(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
}

function refusalOf(body: unknown): Refusal {
  return typeof body === 'object' && body !== null ? body : {};
}

function isIssue(value: unknown): value is Issue {
  if (typeof value !== 'object' || value === null) return false;
  return 'path' in value && 'message' in value && typeof value.message === 'string';
}

export class NoAnswer extends Error implements declared.NoAnswer {
  constructor(call: string, options: ErrorOptions) {
    super(`${call} got no answer`, options);
    this.name = 'NoAnswer';
  }
}

export class StreamReplaced extends Error implements declared.StreamReplaced {
  constructor(name: string) {
    super(`Another connection reads the stream "${name}": give one of the two another name.`);
    this.name = 'StreamReplaced';
  }
}

export class SignatureRefused extends Error implements declared.SignatureRefused {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'SignatureRefused';
  }
}
