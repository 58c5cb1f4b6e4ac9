/**
 * Kind of persons and their actor: the single writer of a passphrase, of sign-in links and tickets,
 * and of the operator's sessions. An e-mail names a person; its memberships are read from the
 * organizations when a sign-in is decided.
 *
 * 1. Only digests are stored. The passphrase never reaches this actor: the panel hashes it, and
 *    sends the digest of the hash.
 * 2. A person without a document answers as one with another passphrase does.
 */
import { failure, renderFailure } from '../../shared/failures.ts';
import { CALLS_PER_SESSION, PASSPHRASE_COST, SIGN_IN_LINK_MS } from '../../shared/limits.ts';
import type { Answer, AnswerOf, Command, CommandOf } from '../../shared/ports/bus.ts';
import { answerOf, bodyOfSuccess, DONE } from '../../shared/wire/answer.ts';
import type { Acknowledged } from '../../shared/wire/command-map.ts';
import {
  type AddInvitation,
  type AdmitOperator,
  type EndOperatorSession,
  type GuessPassphrase,
  type MadeLink,
  type MailLink,
  type MakeLink,
  type Membership,
  OPERATOR,
  type OpenOperatorSession,
  type OperatorAdmission,
  type PreparedGuess,
  type PrepareGuess,
  type SetPassphrase,
  type SignedIn,
  type SignInWay,
  type TicketUse,
  type UseLink,
  type UseTicket,
} from '../../shared/wire/person-commands.ts';
import {
  endOperatorSession,
  findOperatorSession,
  openOperatorSession,
} from '../domain/operator-sessions.ts';
import {
  type MembershipRefs,
  type PassphraseProof,
  proofOfNew,
  type Setting,
  signInTarget,
  type Target,
} from '../domain/passphrase.ts';
import {
  addInvitation,
  addLink,
  addMailedLink,
  exchangeLink,
  findTicket,
  type Guesses,
  isKnownPeer,
  type PersonState,
  rightGuess,
  slowedGuesses,
  spendGuess,
  withTicket,
} from '../domain/person.ts';
import { decideRateLimit, type RateWindow } from '../domain/rate-limits.ts';
import type { Environment } from '../environment.ts';
import { findMembership, findMemberships } from '../organization/memberships.ts';
import type { Actor, Kind } from '../runtime/kind.ts';
import { type Handlers, handlerOf } from '../runtime/turn.ts';
import { loadPerson, storePerson } from './documents.ts';
import { proofOfEarlier } from './earlier-passphrase.ts';
import { mailPassphraseSet, mailSignInLink } from './mails.ts';

/** Shorter than the deadline of the caller. */
const ASK_MS = 6_000;

class PersonActor implements Actor<'person'> {
  readonly #id: string;
  readonly #environment: Environment;
  #state: PersonState | null = null;
  #window: RateWindow | undefined;
  /** Buckets that are not full again; the actor leaves memory when all are. */
  #guesses: Guesses = new Map();

  constructor(id: string, environment: Environment) {
    this.#id = id;
    this.#environment = environment;
  }

  static readonly #HANDLERS: Handlers<'person', PersonActor> = {
    'make-link': (person, command) => person.#makeLink(command),
    'mail-link': (person, command) => person.#mailLink(command),
    'add-invitation': (person, command) => person.#addInvitation(command),
    'use-link': (person, command) => person.#useLink(command),
    'prepare-guess': (person, command) => person.#prepareGuess(command),
    guess: (person, command) => person.#guess(command),
    'use-ticket': (person, command) => person.#useTicket(command),
    'set-passphrase': (person, command) => person.#setPassphrase(command),
    'open-operator-session': (person, command) => person.#openSession(command),
    'end-operator-session': (person, command) => person.#endSession(command),
    'admit-operator': (person, command) => person.#admit(command),
  };

  turn(command: CommandOf<'person'>): Promise<Answer> {
    return handlerOf(PersonActor.#HANDLERS, command)(this, command, NO_CONTEXT);
  }

  /** Slowed guesses keep the actor in memory until their buckets are full. */
  busy(): boolean {
    this.#guesses = slowedGuesses(this.#guesses, this.#environment.clock.now());
    return this.#guesses.size > 0;
  }

  async #load(): Promise<PersonState> {
    this.#state ??= await loadPerson(this.#environment.store, this.#id);
    return this.#state;
  }

  async #store(next: PersonState): Promise<void> {
    if (next === this.#state) return;
    this.#state = await storePerson(this.#environment.store, next);
  }

  async #makeLink({ digest, to }: MakeLink): Promise<AnswerOf<MadeLink>> {
    const { clock } = this.#environment;
    const { next, until: expiresAt } = addLink(await this.#load(), { digest, to }, clock.now());
    await this.#store(next);
    return answerOf({ expiresAt }, 201);
  }

  /** Alike for every e-mail: the mail goes out after the answer. */
  async #mailLink({ id, seed }: MailLink): Promise<AnswerOf<Acknowledged>> {
    const { store, clock, ids } = this.#environment;
    const [first] = await findMemberships(store, this.#id);
    // To the address on record: one that only equals it without regard to case is another's.
    const email = first?.memberEmail ?? null;
    const secret = ids.digest(`link ${seed} ${id}`);
    const state = await this.#load();
    const digest = ids.digest(secret);
    if (!first || email === null || state.links.some((link) => link.digest === digest)) return DONE;
    const next = addMailedLink(state, digest, clock.now());
    if (!next) return DONE;
    await this.#store(next);
    const token = `${this.#id}.${secret}`;
    void mailSignInLink(this.#environment, { id, email, name: first.memberName, token });
    return DONE;
  }

  async #addInvitation(command: AddInvitation) {
    const now = this.#environment.clock.now();
    const { next, until } = addInvitation(await this.#load(), command, now);
    await this.#store(next);
    return answerOf({ expiresAt: until });
  }

  async #useLink(command: UseLink): Promise<AnswerOf<SignedIn>> {
    const exchanged = exchangeLink(await this.#load(), command, this.#environment.clock.now());
    if (!exchanged) return renderFailure(failure('bad_link'));
    await this.#store(exchanged.next);
    return this.#signedIn(exchanged);
  }

  async #signedIn({ to, way }: { to: Target; way: SignInWay }): Promise<AnswerOf<SignedIn>> {
    const { present, memberships } = await this.#membershipsAndProof();
    const session = { orgId: to?.orgId ?? '', way, isFresh: true };
    const wanted = proofOfNew({ present, isCurrent: false, session, memberships });
    return answerOf({
      memberships: await this.#memberships(to),
      ...{ way, passphrase: present ? ('set' as const) : ('unset' as const) },
      offersPassphrase: way !== 'passphrase' && 'by' in wanted,
    });
  }

  /** All memberships, and the proof of the passphrase if it signs in at any of them. */
  async #membershipsAndProof() {
    const { passphrase } = await this.#load();
    const memberships = await findMemberships(this.#environment.store, this.#id);
    if (!passphrase) return { present: null, memberships };
    const provenBy = passphrase.provenBy ?? (await proofOfEarlier(this.#environment, this.#id));
    return { present: signInTarget(provenBy, memberships) && provenBy, memberships };
  }

  async #memberships(to: Target): Promise<readonly Membership[]> {
    const { store } = this.#environment;
    if (this.#id === OPERATOR) return [];
    const found =
      to === null
        ? await findMemberships(store, this.#id)
        : [await findMembership(store, to)].filter((each) => each !== null);
    return found.map(({ memberName: _, memberEmail: __, ...membership }) => membership);
  }

  async #prepareGuess({ peer }: PrepareGuess): Promise<AnswerOf<PreparedGuess>> {
    const { clock, ids } = this.#environment;
    const state = await this.#load();
    const now = clock.now();
    const { waitMs } = spendGuess(state, { guesses: this.#guesses, peer }, now);
    if (waitMs > 0) return slowedDown(waitMs);
    // The panel hashes for a person without a passphrase all the same.
    const { cost, salt } = state.passphrase ?? {
      cost: PASSPHRASE_COST,
      salt: ids.derive('slt', this.#id),
    };
    return answerOf({ cost, salt, isKnownPeer: isKnownPeer(state, peer, now) });
  }

  async #guess({ peer, proof, ticket }: GuessPassphrase): Promise<AnswerOf<SignedIn>> {
    const state = await this.#load();
    const waitMs = this.#spendGuess(state, peer);
    if (waitMs > 0) return slowedDown(waitMs);
    const { passphrase } = state;
    if (passphrase?.proof !== proof) return renderFailure(failure('bad_credentials'));
    const { present: provenBy, memberships } = await this.#membershipsAndProof();
    const target = signInTarget(provenBy, memberships);
    if (!provenBy || !target) return renderFailure(failure('bad_credentials'));
    const now = this.#environment.clock.now();
    const right = { digest: ticket, ...target, way: 'passphrase' } as const;
    const proven = { ...state, passphrase: { ...passphrase, provenBy } };
    await this.#store(withTicket(rightGuess(proven, peer, now), right, now));
    this.#guesses = new Map([...this.#guesses].filter(([known]) => known !== peer));
    return this.#signedIn(right);
  }

  /** Milliseconds until the next guess may be made; 0 for one that counts now. */
  #spendGuess(state: PersonState, peer: string): number {
    const now = this.#environment.clock.now();
    const decision = spendGuess(state, { guesses: this.#guesses, peer }, now);
    if ('next' in decision) this.#guesses = decision.next;
    return decision.waitMs;
  }

  async #useTicket({ digest, orgId }: UseTicket): Promise<AnswerOf<TicketUse>> {
    const ticket = findTicket(await this.#load(), digest, this.#environment.clock.now());
    const memberships = ticket ? await this.#memberships(ticket.to) : [];
    const chosen = memberships.find((each) => each.orgId === orgId);
    if (!ticket || !chosen) return renderFailure(failure('bad_link'));
    return answerOf({ memberId: chosen.memberId, way: ticket.way });
  }

  async #setPassphrase(
    command: SetPassphrase & Pick<Command, 'by'>,
  ): Promise<AnswerOf<Acknowledged>> {
    const { parameters, proof, peer, current } = command;
    const state = await this.#load();
    const { clock } = this.#environment;
    // A repeated command: the new one is the present one already.
    const known = [current, proof].includes(state.passphrase?.proof ?? '');
    if (current !== null) {
      const waitMs = this.#spendGuess(state, peer);
      if (waitMs > 0) return slowedDown(waitMs);
      if (!known) return renderFailure(failure('bad_credentials'));
    }
    const session = await this.#sessionOf(command);
    const { present, memberships } = await this.#membershipsAndProof();
    const provenBy = proofOfNew({ present, isCurrent: known, session, memberships });
    if (!('by' in provenBy)) return renderFailure(provenBy);
    await this.#endOtherSessions(command, { memberships, provenBy: provenBy.by });
    const passphrase = { ...parameters, proof, provenBy };
    await this.#store(rightGuess({ ...state, passphrase, tickets: [] }, peer, clock.now()));
    const [first] = memberships;
    if (first?.memberEmail) {
      const { memberEmail: email, memberName: name } = first;
      void mailPassphraseSet(this.#environment, { id: command.id, email, name, by: command.by });
    }
    return DONE;
  }

  /** How the session began; it is fresh while a link that began it still would be good. */
  async #sessionOf({ id, orgId, sessionId }: SetPassphrase): Promise<Setting['session']> {
    const { bus, clock } = this.#environment;
    const command = { id, type: 'describe-session', sessionId } as const;
    const deadline = clock.now() + ASK_MS;
    const answer = await bus.ask({ kind: 'organization', key: orgId }, command, { deadline });
    const { data } = bodyOfSuccess(answer, 'a session was not described');
    const isFresh = clock.now() < Date.parse(data.createdAt) + SIGN_IN_LINK_MS;
    return { orgId, way: data.way, isFresh };
  }

  /** Before the change, with its entry in the audit logs: a repeat does both again. */
  async #endOtherSessions(
    { id, sessionId: except, by }: SetPassphrase & Pick<Command, 'by'>,
    { memberships, provenBy }: { memberships: MembershipRefs; provenBy: PassphraseProof['by'] },
  ): Promise<void> {
    const { bus, clock } = this.#environment;
    const personId = this.#id;
    const command = { id, type: 'end-person-sessions', personId, except, provenBy } as const;
    const asked = by === undefined ? command : { ...command, by };
    await Promise.all(
      memberships.map(async ({ orgId }) => {
        const deadline = clock.now() + ASK_MS;
        const answer = await bus.ask({ kind: 'organization', key: orgId }, asked, { deadline });
        bodyOfSuccess(answer, 'sessions of a person were not ended');
      }),
    );
  }

  async #openSession(command: OpenOperatorSession): Promise<AnswerOf<OperatorAdmission>> {
    const state = await this.#load();
    const { clock } = this.#environment;
    const opened = this.#id === OPERATOR ? openOperatorSession(state, command, clock.now()) : null;
    if (!opened) return renderFailure(failure('bad_link'));
    await this.#store(opened.next);
    const { id: sessionId, until: expiresAt } = opened.session;
    return answerOf({ outcome: 'admitted', sessionId, expiresAt, retryAfterSeconds: 0 });
  }

  /** A repeat ends the streams again: a crash may have come between. */
  async #endSession(command: EndOperatorSession): Promise<AnswerOf<Acknowledged>> {
    await this.#store(endOperatorSession(await this.#load(), command.digest));
    await this.#environment.live.endStreams(OPERATOR, [command.sessionId]);
    return DONE;
  }

  async #admit({ digest }: AdmitOperator): Promise<AnswerOf<OperatorAdmission>> {
    const now = this.#environment.clock.now();
    const session = findOperatorSession(await this.#load(), digest, now);
    if (!session) return renderFailure(failure('signed_out'));
    const limits = { keyLimit: CALLS_PER_SESSION, orgLimit: CALLS_PER_SESSION };
    const decision = decideRateLimit({ key: this.#window, org: this.#window, ...limits }, now);
    this.#window = decision.key;
    return answerOf({
      outcome: decision.admitted ? 'admitted' : 'rate-limited',
      sessionId: session.id,
      expiresAt: session.until,
      retryAfterSeconds: decision.retryAfterSeconds ?? 0,
    });
  }
}

function slowedDown(waitMs: number): Answer {
  return renderFailure({
    ...failure('rate_limited', 'Muitas tentativas. Aguarde alguns segundos e tente de novo.'),
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** No handler here depends on how it was asked. */
const NO_CONTEXT = { deadline: 0, repeat: false, epoch: 0 };

export function personKind(environment: Environment): Kind {
  return { kind: 'person', open: (key) => new PersonActor(key, environment) };
}
