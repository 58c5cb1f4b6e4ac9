/** Rows of a session itself: it shows itself, ends, and sets its person's passphrase. */
import * as v from 'valibot';
import { anyText, requestObject, textBetween } from '../../../shared/api/fields.ts';
import { failure } from '../../../shared/failures.ts';
import {
  OPERATOR_SESSION_MS,
  PASSPHRASE_COST,
  PASSPHRASE_MAX_CHARS,
  PASSPHRASE_MIN_CHARS,
} from '../../../shared/limits.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { OPERATOR } from '../../../shared/wire/person-commands.ts';
import type { ShownSession } from '../../../shared/wire/session-commands.ts';
import { actingPerson } from '../../acting.ts';
import { answerReply, jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import { cookieSettings, endedCookie } from '../cookie.ts';
import { type Panel, type SessionRoute, sessionRoute } from '../panel.ts';
import type { Asker } from '../passphrase.ts';
import { type Asked, askOrganization, askPerson, busyReply } from './ask-person.ts';

const NO_BODY = requestObject({});

const getSession = sessionRoute({
  method: 'GET',
  path: '/panel/api/session',
  operationId: 'getSession',
  body: NO_BODY,
  async answer(panel, { requestId }, { key, caller }) {
    if (key.operator) {
      const { expiresAt } = key.operator;
      return jsonReply(200, { data: operatorShown({ digest: key.digest, expiresAt }) });
    }
    const id = panel.gateway.freshId('cmd');
    const sessionId = caller?.member?.sessionId ?? '';
    const command = { id, type: 'describe-session', sessionId } as const;
    return answerReply(await askOrganization(panel, { key: key.orgId, requestId }, command));
  },
});

/** The operator's session is of no organization. */
export function operatorShown(session: {
  readonly digest: string;
  readonly expiresAt: number;
}): ShownSession {
  const expiresAt = timestamp(session.expiresAt);
  const createdAt = timestamp(session.expiresAt - OPERATOR_SESSION_MS);
  return {
    id: session.digest,
    role: OPERATOR,
    member: null,
    organization: null,
    way: 'link',
    createdAt,
    expiresAt,
  };
}

const signOut = sessionRoute({
  method: 'POST',
  path: '/panel/api/sign-out',
  operationId: 'signOut',
  body: NO_BODY,
  async answer(panel, { ids, requestId, address }, { key, caller }) {
    const id = panel.gateway.freshId('cmd');
    if (key.operator) {
      const session = { digest: key.operator.sessionDigest, sessionId: key.digest };
      const command = { id, type: 'end-operator-session', ...session } as const;
      const answer = await askPerson(panel, { key: OPERATOR, requestId }, command);
      if (answer.status !== 200) return answerReply(answer);
    } else {
      const sessionId = caller?.member?.sessionId ?? '';
      const by = caller && actingPerson(caller, { operation: 'signOut', address });
      const command = { id, type: 'end-session', sessionId, ...(by ? { by } : {}) } as const;
      const answer = await askOrganization(panel, { key: key.orgId, requestId }, command);
      if (answer.status !== 200) return answerReply(answer);
    }
    const cookie = endedCookie(cookieSettings(ids, panel.secure));
    return { ...jsonReply(200, { data: {} }), headers: { 'set-cookie': cookie } };
  },
});

const setPassphrase = sessionRoute({
  method: 'POST',
  path: '/panel/api/passphrase',
  operationId: 'setPassphrase',
  body: requestObject({
    passphrase: textBetween(PASSPHRASE_MIN_CHARS, PASSPHRASE_MAX_CHARS),
    current: v.optional(anyText),
  }),
  async answer(panel, { body, ...asked }, { caller }) {
    const personId = caller?.member?.personId;
    if (!caller?.member || personId === undefined) return refusalReply(failure('not_allowed'));
    const by = { place: caller.member.sessionId, isKnown: true };
    const current = await currentProof(panel, asked, { personId, current: body.current, by });
    if (current !== null && typeof current === 'object') return current;
    const parameters = { cost: PASSPHRASE_COST, salt: panel.makeSecret() };
    const hash = await panel.hash(body.passphrase, parameters, by);
    if (hash === null) return busyReply();
    const command = {
      id: panel.gateway.freshId('cmd'),
      type: 'set-passphrase',
      parameters,
      current,
      proof: asked.ids.digest(hash),
      peer: asked.ids.digest(asked.address),
      orgId: caller.orgId,
      sessionId: caller.member.sessionId,
      by: actingPerson(caller, { operation: 'setPassphrase', address: asked.address }),
    } as const;
    const answer = await askPerson(panel, { key: personId, requestId: asked.requestId }, command);
    return answer.status === 200 ? jsonReply(200, { data: {} }) : answerReply(answer);
  },
});

interface Guessed {
  readonly personId: string;
  readonly current: string | undefined;
  readonly by: Asker;
}

/** Digest of the present passphrase's hash, null where none was given, or the refusal. */
async function currentProof(
  panel: Panel,
  { ids, requestId, address }: Asked,
  { personId, current, by }: Guessed,
): Promise<string | null | Reply> {
  if (current === undefined) return null;
  const id = panel.gateway.freshId('cmd');
  const command = { id, type: 'prepare-guess', peer: ids.digest(address) } as const;
  const prepared = await askPerson(panel, { key: personId, requestId }, command);
  if (prepared.status !== 200) return answerReply(prepared);
  const hash = await panel.hash(current.slice(0, PASSPHRASE_MAX_CHARS), bodyOf(prepared), by);
  return hash === null ? busyReply() : ids.digest(hash);
}

export const SESSION_ROUTES: readonly SessionRoute[] = [getSession, signOut, setPassphrase];
