/**
 * Authentication of a person by the session's cookie.
 *
 * 1. Only the digest of its secret leaves this file.
 * 2. The organization's owner admits each call of a member, the person's actor each of the
 *    operator. Every process refuses an ended session at once.
 * 3. A session that this process does not know costs its address a token, until it is admitted.
 * 4. The operator names an organization in a header. Streams and media, whose calls bear no headers
 *    of a page, name it in the query.
 */
import { looksLikeId } from '../../shared/entity-ids.ts';
import { type Failure, failure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import { type AdmitOperator, OPERATOR } from '../../shared/wire/person-commands.ts';
import { cookieSettings, readSessionCookie } from './cookie.ts';
import type { Panel, PersonKey } from './panel.ts';

/** Names the organization that the operator looks at. */
const ORGANIZATION_HEADER = 'x-recado-organization';
const ORGANIZATION_PARAMETER = 'organization';

export interface PersonCall {
  readonly ids: Ids;
  readonly headers: Readonly<Record<string, string>>;
  /** The raw query string. */
  readonly query: string;
  readonly address: string;
  readonly requestId: string;
}

export async function identifyPerson(panel: Panel, call: PersonCall): Promise<PersonKey | Failure> {
  const { ids, headers, address } = call;
  const session = readSessionCookie(headers.cookie ?? '', cookieSettings(ids, panel.secure));
  if (!session) return failure('signed_out');
  const { owner, secret } = session;
  const digest = ids.digest(secret);
  if (owner === OPERATOR) return identifyOperator(panel, call, digest);
  const known = panel.gateway.keys.get(digest);
  if (known && known.orgId === owner) return known;
  const waitSeconds = panel.gateway.throttle.tryConsume(address);
  if (waitSeconds > 0) return { kind: 'rate_limited', retryAfterSeconds: waitSeconds };
  return { of: 'session', digest, orgId: owner, caller: null };
}

/** Whether this process knows the call's session; it may have ended since. */
export function isKnownSession(panel: Panel, ids: Ids, cookie: string): boolean {
  const session = readSessionCookie(cookie, cookieSettings(ids, panel.secure));
  return session !== null && panel.gateway.keys.get(ids.digest(session.secret)) !== undefined;
}

/** An admitted session is known from now on, and its look-up was no guess. */
export function rememberPerson({ gateway }: Panel, key: PersonKey, address: string): void {
  if (key.operator || gateway.keys.get(key.digest) === key) return;
  gateway.keys.set(key.digest, key);
  gateway.throttle.refund(address);
}

async function identifyOperator(
  { gateway }: Panel,
  { headers, query, address, requestId }: PersonCall,
  digest: string,
): Promise<PersonKey | Failure> {
  const waitSeconds = gateway.throttle.tryConsume(address);
  if (waitSeconds > 0) return { kind: 'rate_limited', retryAfterSeconds: waitSeconds };
  const command: AdmitOperator = { id: gateway.freshId('adm'), type: 'admit-operator', digest };
  const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
  const to = { kind: 'person', key: OPERATOR } as const;
  const answer = await gateway.bus.ask(to, command, { deadline, requestId });
  if (answer.status === 401) return failure('signed_out');
  if (answer.status !== 200) throw new Error(`the operator was admitted with ${answer.status}`);
  gateway.throttle.refund(address);
  const { outcome, sessionId, expiresAt, retryAfterSeconds } = bodyOf(answer);
  if (outcome === 'rate-limited') return { kind: 'rate_limited', retryAfterSeconds };
  const inQuery = new URLSearchParams(query).get(ORGANIZATION_PARAMETER);
  const named = headers[ORGANIZATION_HEADER] ?? inQuery ?? '';
  const orgId = looksLikeId(named) ? named : '';
  const operator = { sessionDigest: digest, expiresAt };
  return { of: 'operator', digest: sessionId, orgId, caller: null, operator };
}
