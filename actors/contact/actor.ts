/**
 * Kind of contacts and their actor: commits merge decisions by compare-and-set of `version`. One
 * document holds the state, the events and the committed commands (I19, `outbox/completed.ts`).
 */
import type { Contact } from '../../shared/api/contact.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, AnswerOf, Command, CommandOf } from '../../shared/ports/bus.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import { answerOf, bodyOfSuccess, DONE } from '../../shared/wire/answer.ts';
import type { Acknowledged } from '../../shared/wire/command-map.ts';
import type {
  ChangeContact,
  OptMarketing,
  SavedContact,
  UpsertContact,
} from '../../shared/wire/commands.ts';
import { auditItems, type OutboxItem } from '../../shared/wire/outbox.ts';
import { shelfFor } from '../../shared/wire/subjects.ts';
import { insideOf } from '../counters/counted-collection.ts';
import {
  type ContactChange,
  type ContactState,
  decideUpsert,
  newContact,
} from '../domain/contact.ts';
import type { ChangeByFlow } from '../domain/flow/effects.ts';
import type { EnsureContact, EnsuredContact, OptContact, StoredContact } from '../model/contact.ts';
import type { CommandFields } from '../model/entity.ts';
import { outcomeOf, withCommand, withoutOldAnswers } from '../outbox/completed.ts';
import { assertCapacity } from '../outbox/relay.ts';
import { UnpublishedOutbox } from '../outbox/unpublished-outbox.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { Actor, Kind, TurnContext } from '../runtime/kind.ts';
import { assertCommitted, type Handlers, handlerOf } from '../runtime/turn.ts';
import { contactFields, contactWrite, stateOf } from './documents.ts';
import { changeEvents, optOutEvents } from './events.ts';
import { type Changed, routedToFlows } from './flow-routing.ts';
import {
  absorbContact,
  type Committed,
  type ContactParts,
  forwardContact,
  forwardedTo,
  learnContact,
  locateContact,
  mergeContact,
  type NamedContact,
  type OpenContact,
} from './identity.ts';
import { joinSpellings } from './join-spellings.ts';
import { publishContact } from './publish.ts';
import { renderContact } from './render.ts';

const INVALID = 422;

/** Steps of a join: they wait for no other contact. */
const IDENTITY_STEPS: ReadonlySet<string> = new Set(['merge-into', 'absorb', 'learn']);

interface Change<Body> {
  readonly command: CommandOf<
    'contact',
    'upsert' | 'change' | 'ensure' | 'opt' | 'opt-marketing' | 'flow-change'
  >;
  readonly context: TurnContext;
  readonly change: ContactChange;
  readonly origin: Origin;
  readonly answer: (state: ContactState, created: boolean) => AnswerOf<Body>;
  /** A change without a new value need not be written. */
  readonly onlyIfNew?: true;
}

/** @param tags in the organization's spelling */
function changeOf(command: UpsertContact | ChangeContact, tags: readonly string[]): ContactChange {
  const { name, email, fields, removeFields: unfields, removeTags: untags, optIn } = command;
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(fields === undefined ? {} : { fields }),
    ...(unfields === undefined ? {} : { unfields }),
    ...(untags === undefined ? {} : { untags }),
    ...(optIn === undefined ? {} : { optIn }),
    ...{ tags, source: command.source },
  };
}

export class ContactActor implements Actor<'contact'>, OpenContact {
  readonly id: string;
  readonly parts: ContactParts;
  #document: StoredContact | null | undefined;
  /** Not published yet, in order; at most `OUTBOX_MAX`. */
  #outbox: readonly OutboxItem[] = [];
  #areSpellingsJoined = false;
  /** All commands so far only ensured that the contact exists. */
  #onlyEnsured = true;

  constructor(id: string, parts: ContactParts) {
    this.id = id;
    this.parts = parts;
  }

  /** A campaign ensures each of its contacts once, and sends no other command to them. */
  get disposable(): boolean {
    return this.#onlyEnsured && this.#outbox.length === 0;
  }

  static readonly #HANDLERS: Handlers<'contact', ContactActor> = {
    upsert: (contact, command, context) => contact.#upsert(command, context),
    change: (contact, command, context) => contact.#changeKnown(command, context),
    ensure: (contact, command, context) => contact.#ensure(command, context),
    opt: (contact, command, context) => contact.#opt(command, context),
    'opt-marketing': (contact, command, context) => contact.#optMarketing(command, context),
    'flow-change': (contact, command, context) => contact.#changeByFlow(command, context),
    locate: locateContact,
    'merge-into': mergeContact,
    absorb: absorbContact,
    learn: learnContact,
  };

  async turn(command: CommandOf<'contact'>, context: TurnContext): Promise<Answer> {
    if (command.type !== 'ensure') this.#onlyEnsured = false;
    if (!this.#areSpellingsJoined && !IDENTITY_STEPS.has(command.type)) {
      const areJoined = await joinSpellings(this, command, context);
      if (!areJoined) return renderFailure({ kind: 'overloaded' });
      this.#areSpellingsJoined = true;
    }
    return handlerOf(ContactActor.#HANDLERS, command)(this, command, context);
  }

  async #upsert(command: UpsertContact, context: TurnContext): Promise<AnswerOf<SavedContact>> {
    const { orgId, tags = [] } = command;
    const spelled = await this.#spellTags(orgId, tags, context);
    if ('status' in spelled) return spelled;
    return this.#change({
      command,
      context,
      change: changeOf(command, spelled),
      origin: command.origin,
      answer: (state, created) =>
        answerOf({ data: renderContact(state), created }, created ? 201 : 200),
    });
  }

  /** Creates none: the id of a contact that is not on record is nobody's. */
  async #changeKnown(
    command: ChangeContact,
    context: TurnContext,
  ): Promise<AnswerOf<{ readonly data: Contact }>> {
    const { orgId, tags = [] } = command;
    const document = await this.#load();
    if (!document || stateOf(document).orgId !== orgId) {
      return renderFailure(failure('contact_not_found'));
    }
    const spelled = await this.#spellTags(orgId, tags, context);
    if ('status' in spelled) return spelled;
    return this.#change({
      command,
      context,
      change: changeOf(command, spelled),
      origin: command.origin,
      answer: (state) => answerOf({ data: renderContact(state) }),
    });
  }

  #ensure(command: EnsureContact, context: TurnContext): Promise<AnswerOf<EnsuredContact>> {
    const { profileName, firstAd, source } = command;
    return this.#change({
      command,
      context,
      change: {
        ...(profileName === null ? {} : { profileName }),
        ...(firstAd === undefined ? {} : { firstAd }),
        source,
      },
      origin: command.origin,
      onlyIfNew: true,
      answer: ({ id, phone, name }) => answerOf({ id, phone, name }),
    });
  }

  #opt(command: OptContact, context: TurnContext): Promise<AnswerOf<Acknowledged>> {
    const { optIn, source } = command;
    return this.#change({
      command,
      context,
      change: { optIn, source },
      origin: command.origin,
      answer: () => DONE,
    });
  }

  #optMarketing(command: OptMarketing, context: TurnContext): Promise<AnswerOf<Acknowledged>> {
    const { wanted, at } = command;
    return this.#change({
      command,
      context,
      change: { marketing: { wanted, at }, source: 'contact' },
      origin: command.origin,
      answer: () => DONE,
    });
  }

  async #changeByFlow(
    command: ChangeByFlow,
    context: TurnContext,
  ): Promise<AnswerOf<Acknowledged>> {
    const { orgId, fields, untags, optIn, runId } = command;
    const tags = command.tags && (await this.#spellTags(orgId, command.tags, context));
    if (tags && 'status' in tags) return tags;
    return this.#change({
      command,
      context,
      change: {
        ...(fields ? { fields } : {}),
        ...(tags ? { tags } : {}),
        ...(untags ? { untags } : {}),
        ...(optIn === undefined ? {} : { optIn }),
        ...(runId === undefined ? {} : { runId }),
        // A flow records what the contact has answered.
        source: 'contact',
      },
      origin: 'flow',
      answer: () => DONE,
    });
  }

  async #change<Body>(changing: Change<Body>): Promise<AnswerOf<Body>> {
    const { command, context, change, origin, onlyIfNew, answer } = changing;
    const { environment } = this.parts;
    const now = environment.clock.now();
    const document = await this.#load();
    const state = await this.load(command, change.source);
    const before = await outcomeOf(environment, document, { command, context });
    if (before) return before.answer ?? answer(state, before.status === 201);
    const byPhone = command.type === 'upsert' || command.type === 'ensure';
    const elsewhere = forwardedTo(environment, state, byPhone ? command.phone : '');
    if (elsewhere !== null) return forwardContact({ key: elsewhere, phone: state.phone }, command);
    const decision = decideUpsert(state, change, now);
    if ('refused' in decision) return renderFailure(decision.refused);
    if (onlyIfNew && decision.unchanged) return answer(state, false);
    const reply = answer(decision.accepted, decision.created);
    const items = this.followUps(command, decision, origin);
    const commands = onlyIfNew
      ? withoutOldAnswers(document, now)
      : await withCommand(environment, document, { id: this.id, command, answer: reply });
    await this.#commit({ state: decision.accepted, items, origin }, commands);
    return reply;
  }

  async load(
    { orgId, phone: named, numberIfNew = '' }: NamedContact,
    source: ContactChange['source'] = 'contact',
  ): Promise<ContactState> {
    const document = await this.#load();
    if (document) return stateOf(document);
    const phone = named || String(numberIfNew);
    return newContact({ id: this.id, orgId, phone, source }, this.parts.environment.clock.now());
  }

  commit(committed: Committed): Promise<void> {
    const now = this.parts.environment.clock.now();
    return this.#commit(committed, withoutOldAnswers(this.#document ?? null, now));
  }

  followUps(command: Command, changed: Changed, origin: string): readonly OutboxItem[] {
    const events = optOutEvents(this.parts, command, { ...changed, origin });
    const subject = { kind: 'contact', id: this.id, orgId: changed.accepted.orgId } as const;
    const audited = auditItems(this.parts.environment, command, subject);
    return [...events, ...routedToFlows(command, changed, origin), ...audited];
  }

  async #load(): Promise<StoredContact | null> {
    if (this.#document === undefined) {
      this.#document = await this.parts.environment.store.byId('contacts', this.id);
      this.#outbox = this.#document?.outbox ?? [];
      // A turn that failed after its commit has not published its outbox.
      if (this.#document && this.#outbox.length > 0) this.#publish(this.#document, this.#outbox);
    }
    return this.#document;
  }

  async #commit(
    { state, items: others, origin }: Committed,
    { answers, completed }: CommandFields,
  ): Promise<void> {
    const { store, live } = this.parts.environment;
    const before = this.#document ? stateOf(this.#document) : null;
    const events = await changeEvents(this.parts, { before, after: state, origin });
    const items = [...events, ...others];
    assertCapacity(this.#outbox, items, `contact ${this.id}`);
    const outbox = [...this.#outbox, ...this.parts.relay.numbered(items, state.version)];
    const document: StoredContact = {
      ...contactFields(state),
      answers,
      completed,
      ...(outbox.length > 0 ? { outbox, pending: shelfFor('contact', this.id) } : {}),
    };
    const [written] = await store.commit([contactWrite(document)]);
    assertCommitted(written, `contact ${this.id}`);
    this.#document = document;
    this.#outbox = outbox;
    live.changed(insideOf(state.orgId), 'contact', { id: this.id, seq: state.version });
    if (outbox.length > 0) this.#publish(document, outbox);
  }

  #publish(document: StoredContact, outbox: readonly OutboxItem[]): void {
    const { environment } = this.parts;
    publishContact(this.parts, document).then(
      (acknowledged) => {
        if (acknowledged) this.#outbox = this.#outbox.filter((item) => !outbox.includes(item));
      },
      (fault: unknown) => environment.log.error({ error: describe(fault) }, 'publish failed'),
    );
  }

  /** The organization creates missing tags, or refuses them; known tags keep its spelling. */
  async #spellTags(
    orgId: string,
    tags: readonly string[],
    { deadline }: TurnContext,
  ): Promise<readonly string[] | Answer> {
    if (tags.length === 0) return tags;
    const { bus, ids } = this.parts.environment;
    const command = { id: ids.fresh('cmd'), type: 'ensure-tags', tags } as const;
    const answer = await bus.ask({ kind: 'organization', key: orgId }, command, { deadline });
    if (answer.status === INVALID) return answer;
    return bodyOfSuccess(answer, 'the tags were not created');
  }
}

export function contactKind(parts: ContactParts): Kind {
  const unpublished = new UnpublishedOutbox<'contacts'>(parts.environment, {
    kind: 'contact',
    collection: 'contacts',
  });
  const publishUnpublished = (partition: number, epoch: number): Promise<void> =>
    unpublished.publishEach({ partition, epoch }, (document) => publishContact(parts, document));
  return {
    kind: 'contact',
    open: (key) => new ContactActor(key, parts),
    acquire: publishUnpublished,
    recoverLate: publishUnpublished,
    async recover(key) {
      const document = await parts.environment.store.byId('contacts', key);
      if (document?.outbox) await publishContact(parts, document);
    },
  };
}
