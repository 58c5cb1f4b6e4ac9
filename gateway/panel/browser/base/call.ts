/**
 * Calls of the panel's server. A refusal is a value with the server's own sentence. A lost
 * connection is a refusal too: its sentence says whether a repeat is safe.
 */
import type { Issue } from '../../../../shared/failures.ts';
import type { FlowProblem } from '../../../../shared/panel/flow-text.ts';
import type { ProblemAt } from '../../../../shared/problems/provisioning.ts';
import { TEXT } from '../sentences.ts';

const CALL_MS = 20_000;
const OTHER_SESSION = 412;

/** With its line where a flow's text was refused. */
type RefusedProblem = ProblemAt & Partial<FlowProblem>;

export interface Refused {
  /** 0: no answer came. */
  readonly status: number;
  readonly sentence: string;
  readonly issues: readonly Issue[];
  readonly problems?: readonly RefusedProblem[];
  /** From `Retry-After`. */
  readonly retryAfterMs?: number;
}

export type Outcome<Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly refused: Refused };

export interface CallOptions {
  readonly body?: unknown;
  /** The server runs the call once, however often it is repeated. */
  readonly idempotencyKey?: string;
}

let onSignedOut: () => void = () => undefined;

/** Sets the reaction to an ended session. */
export function whenSignedOut(react: () => void): void {
  onSignedOut = react;
}

let onOtherSession: () => void = () => undefined;

/** Sets the reaction to a cookie of another session than the page's. */
export function whenOtherSession(react: () => void): void {
  onOtherSession = react;
}

let organizationId = '';

/** Sets the organization that the operator looks at; empty for a member, whose session has one. */
export function lookAt(id: string): void {
  organizationId = id;
}

let sessionId = '';

/** Sets the session whose page this is: another one's cookie changes nothing in its name. */
export function actAs(id: string): void {
  sessionId = id;
}

/** An address with the operator's organization: streams and media bear no headers of the page. */
export function located(path: string): string {
  return path + query({ organization: organizationId });
}

/** Answers to reads that began before their screen was there, by path; null for a refusal. */
const begun = new Map<string, Promise<Response | null>>();

/** Begins a read. The first call of the path takes its answer, unless it was refused. */
export function begin(path: string): void {
  const answer = request('GET', path, {}).then(
    (response) => (response.ok ? response : null),
    () => null,
  );
  begun.set(path, answer);
}

function takeBegun(path: string): Promise<Response | null> | undefined {
  const taken = begun.get(path);
  begun.delete(path);
  return taken;
}

export async function call<Body>(
  method: 'GET' | 'POST',
  path: string,
  options: CallOptions = {},
): Promise<Outcome<Body>> {
  const posted = method === 'POST';
  try {
    const early = posted ? null : await takeBegun(path);
    return await outcomeOf<Body>(early ?? (await request(method, path, options)));
  } catch {
    return { ok: false, refused: lost(posted && options.idempotencyKey === undefined) };
  }
}

function readingHeaders(): Readonly<Record<string, string>> {
  return {
    'x-recado-panel': '1',
    ...(organizationId === '' ? {} : { 'x-recado-organization': organizationId }),
  };
}

/** Headers of every changing call, whichever way it is made. */
export function changingHeaders(): Readonly<Record<string, string>> {
  return { ...readingHeaders(), ...(sessionId === '' ? {} : { 'x-recado-session': sessionId }) };
}

function request(
  method: 'GET' | 'POST',
  path: string,
  { body, idempotencyKey }: CallOptions,
): Promise<Response> {
  const posted = method === 'POST';
  return fetch(path, {
    method,
    signal: AbortSignal.timeout(CALL_MS),
    headers: {
      ...(posted ? changingHeaders() : readingHeaders()),
      ...(posted ? { 'content-type': 'application/json' } : {}),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(posted ? { body: JSON.stringify(body ?? {}) } : {}),
  });
}

let onOrganizationAbsent: () => void = () => undefined;

/** Sets the reaction to the absence of the organization that the operator looks at. */
export function whenOrganizationAbsent(react: () => void): void {
  onOrganizationAbsent = react;
}

async function outcomeOf<Body>(response: Response): Promise<Outcome<Body>> {
  const isAbsent = response.headers.get('x-recado-organization') === 'absent';
  if (isAbsent && organizationId !== '') onOrganizationAbsent();
  const text = await response.text();
  if (response.ok) {
    const body: Body = JSON.parse(text === '' ? '{}' : text);
    return { ok: true, body };
  }
  const refused = refusedOf(response.status, text);
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return {
    ok: false,
    refused: seconds > 0 ? { ...refused, retryAfterMs: seconds * 1000 } : refused,
  };
}

/** A refusal for want of a session leads to the way in, whichever call has met it. */
export function refusedOf(status: number, text: string): Refused {
  if (status === 401) onSignedOut();
  if (status === OTHER_SESSION) onOtherSession();
  const body = parsed(text);
  const sentence = typeof body?.error === 'string' ? body.error : TEXT.errors.unexpected(status);
  return { issues: [], ...body, status, sentence };
}

/** @param inDoubt the server may have done what was asked */
export function lost(inDoubt: boolean): Refused {
  const sentence = inDoubt ? TEXT.errors.lostInDoubt : TEXT.errors.lost;
  return { status: 0, sentence, issues: [] };
}

interface RefusalBody {
  readonly error?: unknown;
  readonly issues?: readonly Issue[];
  readonly problems?: readonly RefusedProblem[];
}

/** Null for a body that is no JSON object, such as a proxy's page. */
function parsed(text: string): RefusalBody | null {
  try {
    const body: RefusalBody | null = JSON.parse(text);
    return typeof body === 'object' ? body : null;
  } catch {
    return null;
  }
}

export function query(
  entries: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(entries)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
