/** Shared state of the panel's request stages, its rows, and a person's call. */
import { type Issue, invalid } from '../../shared/failures.ts';
import type { FlowText } from '../../shared/panel/flow-text.ts';
import type { RunningProcesses } from '../../shared/panel/operation.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import type { LiveHints } from '../../shared/ports/live.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import type { Gateway, KnownKey } from '../gateway.ts';
import { type Reply, refusalReply } from '../http/respond.ts';
import type { ApiRoute, Method, OpenRoute, Params } from '../route.ts';
import type { Throttle } from '../throttling/throttle.ts';
import { type RequestSchema, validate } from '../validate.ts';
import type { Assets } from './assets.ts';
import type { UntrustedProxy } from './client-address.ts';
import type { LiveStreams } from './live/live-streams.ts';
import type { Rates } from './operation/rates.ts';
import type { AcceptedOrigins } from './origin.ts';
import type { Hash } from './passphrase.ts';

export interface Panel {
  readonly gateway: Gateway;
  readonly assets: Assets;
  readonly hash: Hash;
  readonly origins: AcceptedOrigins;
  /** Open streams of live hints. */
  readonly streams: LiveStreams;
  readonly hints: Pick<LiveHints, 'changed'>;
  /** Null until the bus is connected. */
  readonly processes: () => RunningProcesses | null;
  readonly rates: Rates;
  /** Loaded at its first use: it parses YAML. */
  readonly flowText: () => Promise<FlowText>;
  /** Cookies go over https only. */
  readonly secure: boolean;
  /** Of attempts to sign in, by address. */
  readonly attempts: Throttle;
  /** 256 random bits, base64url. */
  readonly makeSecret: () => string;
  /** Whose `X-Forwarded-For` is believed. */
  readonly isTrustedProxy: (address: string) => boolean;
  readonly untrustedProxy: UntrustedProxy;
}

/** The caller: a member's session, or the operator's. */
export interface PersonKey extends KnownKey {
  /** Of the operator's session alone: a member's is its organization's. */
  readonly operator?: { readonly sessionDigest: string; readonly expiresAt: number };
}

export interface PersonRequest<Body> {
  readonly ids: Ids;
  /** Of the path. */
  readonly params: Params;
  readonly body: Body;
  readonly requestId: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body as sent. */
  readonly bytes: Buffer;
}

/** The session that a call acts for; without a caller, the operator's of no organization. */
export interface ActingSession {
  readonly key: PersonKey;
  readonly caller: Caller | null;
}

/** A row of the panel's own whose answer is no single ask. */
interface Described {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string;
}

type RawRequest = PersonRequest<Readonly<Record<string, unknown>>>;

/** Before a session: a person signs in. */
export interface SignInRoute extends Described {
  readonly entrance: 'sign-in';
  readonly body: RequestSchema<unknown> | null;
  readonly answer: (panel: Panel, request: RawRequest) => Promise<Reply>;
}

/** Of a session itself. */
export interface SessionRoute extends Described {
  readonly entrance: 'session';
  readonly body: RequestSchema<unknown> | null;
  /** The body is raw bytes, at most so many. */
  readonly rawMaxBytes?: number;
  readonly answer: (panel: Panel, request: RawRequest, by: ActingSession) => Promise<Reply>;
}

export type PanelRoute = ApiRoute | OpenRoute | SignInRoute | SessionRoute;

interface SignInRow<Body> extends Described {
  readonly body: RequestSchema<Body>;
  readonly answer: (panel: Panel, request: PersonRequest<Body>) => Promise<Reply>;
}

interface SessionRow<Body> extends Described {
  readonly body: RequestSchema<Body>;
  readonly answer: (
    panel: Panel,
    request: PersonRequest<Body>,
    by: ActingSession,
  ) => Promise<Reply>;
}

export function signInRoute<Body>(row: SignInRow<Body>): SignInRoute {
  const { body, answer } = row;
  return {
    ...{ ...row, entrance: 'sign-in' },
    answer: (panel, request) => valid(body, request, (read) => answer(panel, read)),
  };
}

export function sessionRoute<Body>(row: SessionRow<Body>): SessionRoute {
  const { method, body, answer } = row;
  return {
    ...{ ...row, entrance: 'session' },
    body: method === 'GET' ? null : body,
    answer: (panel, request, by) => valid(body, request, (read) => answer(panel, read, by)),
  };
}

/** The answer to a request whose body the schema has read, else its issues. */
async function valid<Body>(
  schema: RequestSchema<Body>,
  request: RawRequest,
  answer: (read: PersonRequest<Body>) => Promise<Reply>,
): Promise<Reply> {
  const issues: Issue[] = [];
  const read = validate(schema, request.body, issues);
  return read ? answer({ ...request, body: read.output }) : refusalReply(invalid(...issues));
}
