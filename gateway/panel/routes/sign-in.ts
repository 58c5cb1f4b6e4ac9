/**
 * Rows before a session: a passphrase or a link becomes a session, or a choice of organizations.
 *
 * 1. A passphrase is hashed here, for an unknown e-mail too: a wrong e-mail costs what a wrong
 *    passphrase costs.
 * 2. Secrets of links, tickets and sessions are made or read here; only digests go on.
 */
import * as v from 'valibot';
import { anyText, idText, requestObject } from '../../../shared/api/fields.ts';
import { looksLikeId, personOfEmail } from '../../../shared/entity-ids.ts';
import { failure } from '../../../shared/failures.ts';
import { GUESS_EVERY_MS, PASSPHRASE_MAX_CHARS, SESSION_MAX_MS } from '../../../shared/limits.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import {
  type Membership,
  OPERATOR,
  type SignedIn,
  type SignInWay,
} from '../../../shared/wire/person-commands.ts';
import type { OpenSession, ShownSession } from '../../../shared/wire/session-commands.ts';
import { answerReply, jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import { cookieSettings, sessionCookie } from '../cookie.ts';
import { type Panel, type SignInRoute, signInRoute } from '../panel.ts';
import { type Asked, askOrganization, askPerson, busyReply } from './ask-person.ts';
import { operatorShown } from './session.ts';

/** The time of a token, rounded up. */
const SLOWED_SECONDS = GUESS_EVERY_MS / 1000;

/** A text of at most that many characters; a longer one is cut, as no secret has so many. */
const secretText = v.pipe(
  anyText,
  v.transform((text) => text.slice(0, PASSPHRASE_MAX_CHARS)),
);

/** `<owner>.<secret>`, as links and tickets are; null for any other text. */
function readToken(token: string): { readonly owner: string; readonly secret: string } | null {
  const [owner = '', secret = '', ...more] = token.split('.');
  return looksLikeId(owner) && secret !== '' && more.length === 0 ? { owner, secret } : null;
}

interface Proven {
  readonly personId: string;
  /** The ticket's secret. */
  readonly ticket: string;
  readonly signedIn: SignedIn;
}

function choicesOf(memberships: readonly Membership[]) {
  return memberships.map(({ orgId: organizationId, orgName: organizationName, role }) => ({
    organizationId,
    organizationName,
    role,
  }));
}

/** Signed in at once where there is one organization, else a ticket for the choice. */
async function proven(panel: Panel, asked: Asked, by: Proven): Promise<Reply> {
  panel.attempts.refund(asked.address);
  const { memberships, way, passphrase, offersPassphrase } = by.signedIn;
  const [only, ...others] = memberships;
  if (by.personId === OPERATOR) {
    const opened = await openOperatorSession(panel, asked, by.ticket);
    const none = { passphrase: 'unset', offersPassphrase: false } as const;
    return withData(opened, { ticket: null, choices: [], ...none });
  }
  if (!only) return refusalReply(failure('bad_credentials'));
  const choices = choicesOf(memberships);
  const offered = { passphrase, offersPassphrase };
  if (others.length > 0) {
    const ticket = `${by.personId}.${by.ticket}`;
    return jsonReply(200, { data: { session: null, ticket, choices, ...offered } });
  }
  const { memberId, orgId } = only;
  const opened = await openSession(panel, asked, { ...by, way, memberId, orgId });
  return withData(opened, { ticket: null, choices, ...offered });
}

/** A reply with a session, in the shape of a sign-in's. */
function withData(opened: Reply, more: Readonly<Record<string, unknown>>): Reply {
  if (opened.status >= 300) return opened;
  const { data: session }: { data: ShownSession } = JSON.parse(opened.body);
  return { ...opened, status: 200, body: JSON.stringify({ data: { session, ...more } }) };
}

interface Opening {
  readonly orgId: string;
  readonly memberId: string;
  readonly personId: string;
  readonly way: SignInWay;
  /** The ticket's secret. */
  readonly ticket: string;
}

async function openSession(panel: Panel, asked: Asked, opening: Opening): Promise<Reply> {
  const { ids, requestId, address } = asked;
  const { orgId, memberId, personId, way } = opening;
  const { gateway, makeSecret, secure } = panel;
  const secret = makeSecret();
  const command: OpenSession = {
    id: gateway.freshId('ses'),
    type: 'open-session',
    digest: ids.digest(secret),
    memberId,
    personId,
    way,
    address,
  };
  const answer = await askOrganization(panel, { key: orgId, requestId }, command);
  if (answer.status !== 201) return answerReply(answer);
  // A passphrase that changes meanwhile ends the sessions that it finds, and then the tickets.
  const proof = await useTicket(panel, asked, opening);
  if (proof.status !== 200) {
    const end = { id: gateway.freshId('cmd'), type: 'end-session', sessionId: command.id } as const;
    await askOrganization(panel, { key: orgId, requestId }, end);
    return answerReply(proof);
  }
  // Each call puts off the idle session's end, which the organization decides.
  const maxAge = SESSION_MAX_MS / 1000;
  const cookie = sessionCookie(cookieSettings(ids, secure), { owner: orgId, secret }, maxAge);
  return { ...answerReply(answer), headers: { 'set-cookie': cookie } };
}

function useTicket(
  panel: Panel,
  { ids, requestId }: Asked,
  { personId, orgId, ticket }: Pick<Opening, 'personId' | 'orgId' | 'ticket'>,
) {
  const id = panel.gateway.freshId('cmd');
  const command = { id, type: 'use-ticket', digest: ids.digest(ticket), orgId } as const;
  return askPerson(panel, { key: personId, requestId }, command);
}

/** The operator's session is kept by its own actor. */
async function openOperatorSession(panel: Panel, asked: Asked, ticket: string): Promise<Reply> {
  const { gateway, makeSecret, secure } = panel;
  const { ids, requestId } = asked;
  const secret = makeSecret();
  const command = {
    id: gateway.freshId('ses'),
    type: 'open-operator-session',
    digest: ids.digest(secret),
    ticket: ids.digest(ticket),
  } as const;
  const answer = await askPerson(panel, { key: OPERATOR, requestId }, command);
  if (answer.status !== 200) return answerReply(answer);
  const { sessionId: digest, expiresAt } = bodyOf(answer);
  const maxAge = (expiresAt - gateway.clock.now()) / 1000;
  const cookie = sessionCookie(cookieSettings(ids, secure), { owner: OPERATOR, secret }, maxAge);
  const data = operatorShown({ digest, expiresAt });
  return { ...jsonReply(200, { data }), headers: { 'set-cookie': cookie } };
}

const signIn = signInRoute({
  method: 'POST',
  path: '/panel/api/sign-in',
  operationId: 'signIn',
  body: requestObject({ email: secretText, passphrase: secretText }),
  async answer(panel, { body, ...asked }) {
    const { ids, requestId, address } = asked;
    const personId = personOfEmail(ids, body.email);
    const to = { key: personId, requestId };
    const peer = ids.digest(address);
    const id = panel.gateway.freshId('cmd');
    const prepared = await askPerson(panel, to, { id, type: 'prepare-guess', peer });
    if (prepared.status !== 200) return slowedDown(answerReply(prepared));
    const { isKnownPeer, ...parameters } = bodyOf(prepared);
    // Whom the person's own address vouches for does not share a place with the others there.
    const place = isKnownPeer ? `${peer} ${personId}` : peer;
    const hash = await panel.hash(body.passphrase, parameters, { place, isKnown: isKnownPeer });
    if (hash === null) return busyReply();
    const ticket = panel.makeSecret();
    const guess = {
      id: panel.gateway.freshId('cmd'),
      type: 'guess',
      peer,
      proof: ids.digest(hash),
      ticket: ids.digest(ticket),
    } as const;
    const guessed = await askPerson(panel, to, guess);
    if (guessed.status !== 200) return slowedDown(answerReply(guessed));
    const signedIn = bodyOf(guessed);
    return proven(panel, asked, { personId, ticket, signedIn });
  },
});

/** The wait that the actor's answer names, as HTTP asks for it. */
function slowedDown(reply: Reply): Reply {
  return reply.status === 429
    ? { ...reply, headers: { 'retry-after': String(SLOWED_SECONDS) } }
    : reply;
}

const useLink = signInRoute({
  method: 'POST',
  path: '/panel/api/link',
  operationId: 'useLink',
  body: requestObject({ token: anyText }),
  async answer(panel, { body, ...asked }) {
    const { ids, requestId } = asked;
    const token = readToken(body.token);
    if (!token) return refusalReply(failure('bad_link'));
    const ticket = panel.makeSecret();
    const command = {
      id: panel.gateway.freshId('cmd'),
      type: 'use-link',
      digest: ids.digest(token.secret),
      ticket: ids.digest(ticket),
    } as const;
    const answer = await askPerson(panel, { key: token.owner, requestId }, command);
    if (answer.status !== 200) return answerReply(answer);
    const signedIn = bodyOf(answer);
    return proven(panel, asked, { personId: token.owner, ticket, signedIn });
  },
});

const chooseOrganization = signInRoute({
  method: 'POST',
  path: '/panel/api/sessions',
  operationId: 'chooseOrganization',
  body: requestObject({ ticket: anyText, organizationId: idText }),
  async answer(panel, { body, ...asked }) {
    const token = readToken(body.ticket);
    if (!token || !looksLikeId(body.organizationId)) return refusalReply(failure('bad_link'));
    const of = { personId: token.owner, ticket: token.secret, orgId: body.organizationId };
    const answer = await useTicket(panel, asked, of);
    if (answer.status !== 200) return answerReply(answer);
    panel.attempts.refund(asked.address);
    return openSession(panel, asked, { ...bodyOf(answer), ...of });
  },
});

/** Answers alike for every e-mail, and as soon: the ask goes on behind the answer. */
const requestLink = signInRoute({
  method: 'POST',
  path: '/panel/api/link-requests',
  operationId: 'requestLink',
  body: requestObject({ email: secretText }),
  answer: async (panel, { ids, body, requestId }) => {
    const email = body.email.trim();
    const command = {
      id: panel.gateway.freshId('cmd'),
      type: 'mail-link',
      seed: panel.makeSecret(),
    } as const;
    const { log } = panel.gateway;
    askPerson(panel, { key: personOfEmail(ids, email), requestId }, command).catch((cause) =>
      log.warn({ cause, requestId }, 'a link was not mailed'),
    );
    return jsonReply(202, { data: {} });
  },
});

export const SIGN_IN_ROUTES: readonly SignInRoute[] = [
  signIn,
  useLink,
  chooseOrganization,
  requestLink,
];
