/**
 * Actor of one contact: commits merge decisions by compare-and-set of `version`. One document holds
 * the state, the events and the committed commands (I19, `outbox/completed.ts`).
 */

import { renderFailure } from '../../shared/failures.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { UpsertContact } from '../../shared/wire/commands.ts';
import type { OutboxEvent, OutboxItem } from '../../shared/wire/outbox.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import { insideOf } from '../counters/counted-collection.ts';
import {
  type ContactChange,
  type ContactState,
  decideUpsert,
  newContact,
} from '../domain/contact.ts';
import type { ChangeByFlow } from '../domain/flow/effects.ts';
import { type Changed, routedToFlows } from '../flow/contact.ts';
import { clearPublished } from '../outbox/clear.ts';
import {
  type CommandFields,
  outcomeOf,
  withCommand,
  withoutOldAnswers,
} from '../outbox/completed.ts';
import { assertRoom } from '../outbox/room.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import { assertCommitted } from '../runtime/assert-committed.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type EnsureContact, isContactIdentity, type OptContact } from './commands.ts';
import type { ContactParts, NamedContact, OpenContact } from './contact.ts';
import { type ContactDocument, contactFields, contactWrite, stateOf } from './documents.ts';
import { answerIdentity, forwardContact, forwardedTo } from './identity.ts';
import { renderContact } from './render.ts';

const INVALID = 422;

interface Change {
  readonly command: Command & { readonly orgId: string; readonly phone: string };
  readonly context: TurnContext;
  readonly change: ContactChange;
  readonly origin: string;
  readonly answer: (state: ContactState, created: boolean) => Answer;
  /** A change without a new value need not be written. */
  readonly onlyIfNew: boolean;
}

export class ContactActor implements Actor, OpenContact {
  readonly id: string;
  readonly parts: ContactParts;
  #document: ContactDocument | null | undefined;
  /** Not published yet, in order. */
  #outbox: readonly OutboxItem[] = [];
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

  turn(command: Command, context: TurnContext): Promise<Answer> {
    if (command.type !== 'ensure') this.#onlyEnsured = false;
    switch (command.type) {
      case 'upsert':
        return this.#upsert(command as unknown as UpsertContact, context);
      case 'ensure':
        return this.#ensure(command as EnsureContact, context);
      case 'opt':
        return this.#opt(command as OptContact, context);
      case 'flow-change':
        return this.#changeByFlow(command as ChangeByFlow, context);
      default:
        if (isContactIdentity(command)) return answerIdentity(this, command);
        throw new TypeError(`a contact knows no command ${command.type}`);
    }
  }

  async #upsert(command: UpsertContact, context: TurnContext): Promise<Answer> {
    const { orgId, tags = [] } = command;
    const spelled = await this.#spellTags(orgId, tags, context);
    if ('status' in spelled) return spelled;
    return this.#change({
      command,
      context,
      change: { ...pickNamed(command), tags: spelled, source: command.source },
      origin: command.origin,
      onlyIfNew: false,
      answer: (state, created) => ({
        status: created ? 201 : 200,
        body: JSON.stringify({ data: renderContact(state), created }),
      }),
    });
  }

  #ensure(command: EnsureContact, context: TurnContext): Promise<Answer> {
    const { profileName, source } = command;
    return this.#change({
      command,
      context,
      change: profileName === null ? { source } : { profileName, source },
      origin: 'network',
      onlyIfNew: true,
      answer: ({ id, phone, name }) => ({ status: 200, body: JSON.stringify({ id, phone, name }) }),
    });
  }

  #opt(command: OptContact, context: TurnContext): Promise<Answer> {
    const { optIn, source } = command;
    return this.#change({
      command,
      context,
      change: { optIn, source },
      origin: command.origin,
      onlyIfNew: false,
      answer: () => ({ status: 200, body: '{}' }),
    });
  }

  async #changeByFlow(command: ChangeByFlow, context: TurnContext): Promise<Answer> {
    const { orgId, fields, untags, optIn } = command;
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
        // A flow records what the contact has answered.
        source: 'contact',
      },
      origin: 'flow',
      onlyIfNew: false,
      answer: () => ({ status: 200, body: '{}' }),
    });
  }

  async #change({ command, context, change, origin, ...asked }: Change): Promise<Answer> {
    const { onlyIfNew, answer } = asked;
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
    await this.#commit(decision.accepted, commands, items);
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

  commit(state: ContactState, items: readonly OutboxItem[]): Promise<void> {
    const now = this.parts.environment.clock.now();
    assertRoom(this.#outbox, items, `contact ${this.id}`);
    return this.#commit(state, withoutOldAnswers(this.#document ?? null, now), items);
  }

  followUps(command: Command, changed: Changed, origin: string): readonly OutboxItem[] {
    const { optedOut, accepted } = changed;
    const events = optedOut ? [this.#optOutEvent(command, accepted, origin)] : [];
    const items = [...events, ...routedToFlows(command, changed, origin)];
    assertRoom(this.#outbox, items, `contact ${this.id}`);
    return items;
  }

  async #load(): Promise<ContactDocument | null> {
    if (this.#document === undefined) {
      const { store } = this.parts.environment;
      this.#document = await store.byId<ContactDocument>('contacts', this.id);
      this.#outbox = this.#document?.outbox ?? [];
      // A turn that failed after its commit has not published its outbox.
      if (this.#document && this.#outbox.length > 0) this.#publish(this.#document, this.#outbox);
    }
    return this.#document;
  }

  async #commit(
    state: ContactState,
    { answers, completed }: CommandFields,
    items: readonly OutboxItem[],
  ): Promise<void> {
    const { store } = this.parts.environment;
    const outbox = [...this.#outbox, ...items];
    const { id } = state;
    const document: ContactDocument = {
      ...contactFields(state),
      answers,
      ...(completed ? { completed } : {}),
      ...(outbox.length > 0 ? { outbox, pending: partitionOf('contact', id) } : {}),
    };
    const [written] = await store.commit([contactWrite(document)]);
    assertCommitted(written, `contact ${id}`);
    this.#document = document;
    this.#outbox = outbox;
    if (outbox.length > 0) this.#publish(document, outbox);
  }

  #publish(document: ContactDocument, outbox: readonly OutboxItem[]): void {
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
    context: TurnContext,
  ): Promise<readonly string[] | Answer> {
    if (tags.length === 0) return tags;
    const { bus, ids } = this.parts.environment;
    const command = { id: ids.fresh('cmd'), type: 'ensure-tags', tags };
    const { deadline } = context;
    const answer = await bus.ask({ kind: 'organization', key: orgId }, command, { deadline });
    if (answer.status === INVALID) return answer;
    if (answer.status !== 200) throw new Error(`the tags were not created: ${answer.status}`);
    return JSON.parse(answer.body) as string[];
  }

  #optOutEvent(command: Command, state: ContactState, origin: string): OutboxEvent {
    const { ids, clock } = this.parts.environment;
    return {
      type: 'event',
      id: ids.derive('evt', command.id, 'contact.opt_out', String(state.version)),
      event: 'contact.opt_out',
      data: {
        contact: renderContact(state),
        occurredAt: timestamp(state.optOutAt ?? clock.now()),
        origin,
      },
    };
  }
}

/** Publishes the outbox, then clears it unless a newer version holds more. */
export async function publishContact(
  parts: ContactParts,
  document: ContactDocument,
): Promise<boolean> {
  const acknowledged = await parts.relay.publish(insideOf(document.orgId), document.outbox ?? []);
  if (!acknowledged) return false;
  return clearPublished(parts.environment, {
    update: 'contacts',
    filter: { _id: document._id, version: document.version },
    change: { $unset: { outbox: '', pending: '' } },
  });
}

function pickNamed(command: UpsertContact): Omit<ContactChange, 'source'> {
  const { name, email, fields, optIn } = command;
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(fields === undefined ? {} : { fields }),
    ...(optIn === undefined ? {} : { optIn }),
  };
}
