/**
 * The bridge's error answers. Its own refusals have the shape of its framework; whatever an engine
 * throws becomes a 500 with the exception and the request in it.
 */
import { type JsonRecord, parseRecord } from '../../../../adapters/network/webhook-body.ts';
import type { Reply } from '../../cloud/schema/errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { dialectOf } from '../dialects.ts';
import type { SessionStatus } from '../people.ts';
import type { BridgeSession } from '../sessions.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** A refusal of the framework; without a title of its own the status alone. */
export function refusal(statusCode: number, message: string): Reply {
  const error = TITLES[statusCode];
  const titled = error === undefined ? {} : { error };
  return { status: statusCode, body: JSON.stringify({ message, ...titled, statusCode }) };
}

/** A 422 with the session's state: the session does not work. */
export function notWorking(session: string, status: SessionStatus): Reply | null {
  if (status === 'WORKING') return null;
  const error = 'Session status is not as expected. Try again later or restart the session';
  const body = { error, session, status, expected: ['WORKING'] };
  return { status: 422, body: JSON.stringify(body) };
}

/** The engine has no such call. */
export function unsupported({ engine }: Pick<BridgeSession, 'engine'>): Reply {
  const name = engine.toUpperCase();
  return refusal(501, `The method is not implemented by '${name}' engine.`);
}

/** A call for a session that is not there. */
export function noSession(session: string): Reply {
  const error = `Session "${session}" does not exist`;
  return { status: 422, body: JSON.stringify({ error, session }) };
}

/** The answer of a proxy that does not reach the bridge. */
export function ofProxy(status: number): Reply {
  return { status, body: `<html><body><h1>${status} Bad Gateway</h1></body></html>` };
}

export function fileNotFound(): Reply {
  const error = {
    code: 404,
    key: 'FILE_NOT_FOUND',
    message: 'File not found',
    details: 'File not found or no longer available',
  };
  return { status: 404, body: JSON.stringify({ error }) };
}

export interface Thrown {
  readonly session: BridgeSession;
  readonly exchange: Exchange;
  /** The request's body as it came. */
  readonly json: string;
  readonly now: number;
}

/** Any exception of the engine. */
export function exception({ session, exchange, json, now }: Thrown, message: string): Reply {
  const { path, method, query } = exchange;
  const body: JsonRecord = {
    statusCode: 500,
    timestamp: new Date(now).toISOString(),
    exception: dialectOf(session.engine).exception(message),
    request: {
      path: query === '' ? path : `${path}?${query}`,
      method,
      body: parseRecord(json) ?? {},
      query: Object.fromEntries(new URLSearchParams(query)),
    },
    version: session.environment(),
  };
  return { status: 500, body: JSON.stringify(body) };
}

/** As the server of the network refuses a message of a restricted number. */
export const RESTRICTED = 'server returned error 463';
