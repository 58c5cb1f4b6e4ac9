/**
 * Actor of one deal: commits changes by compare-and-set of `version`, with their events in the same
 * document (I16). A create goes to the deal that will have the command's id.
 */

import { type Failure, failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import type { ChangeDeal, CreateDeal } from '../../shared/wire/commands.ts';
import type { OutboxEvent } from '../../shared/wire/outbox.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { ContactDocument } from '../contact/documents.ts';
import { readContact, readContactByPhone } from '../contact/resolve.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import { COUNTED_DEALS } from '../counters/counted-collections.ts';
import {
  type DealDecision,
  type DealEvent,
  type DealState,
  decideChange,
  decideCreate,
} from '../domain/deal.ts';
import { findStage, firstStage } from '../domain/pipeline.ts';
import {
  type EntityDefinition,
  type EntityParts,
  VersionedDocument,
} from '../outbox/versioned-document.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import { pipelinesOf, readTeam } from './organization.ts';
import { contactNameOf, renderDeal } from './render.ts';

export const DEALS: EntityDefinition<DealState> = {
  kind: 'deal',
  collection: 'deals',
  countedCollection: COUNTED_DEALS,
};

interface Asked {
  readonly command: Command & { readonly origin: Origin };
  readonly status: number;
  readonly contact: ContactDocument | null;
}

export class DealActor implements Actor {
  readonly #id: string;
  readonly #parts: EntityParts;
  readonly #document: VersionedDocument<DealState>;

  constructor(id: string, parts: EntityParts) {
    this.#id = id;
    this.#parts = parts;
    this.#document = new VersionedDocument(parts, DEALS, id);
  }

  turn(command: Command, context: TurnContext): Promise<Answer> {
    if (isCreate(command)) return this.#create(command, context);
    if (isChange(command)) return this.#change(command, context);
    throw new TypeError(`a deal knows no command ${command.type}`);
  }

  async #create(command: CreateDeal, context: TurnContext): Promise<Answer> {
    const { environment } = this.#parts;
    const { orgId, stageId } = command;
    const [state, contact] = await Promise.all([
      this.#document.load(),
      this.#contactNamed(command),
    ]);
    const before = await this.#document.outcomeOf({ command, context });
    if (before?.answer) return before.answer;
    const asked: Asked = { command, status: 201, contact };
    if (state) return this.#answer(state, asked);
    const [team, conversationId] = await Promise.all([
      readTeam(environment, orgId),
      this.#conversationOf(command, contact),
    ]);
    const known = contact?.orgId === orgId;
    // A refused deal must not create the default pipeline.
    const pipelines = known
      ? await pipelinesOf(environment, orgId, team.pipelines)
      : (team.pipelines ?? []);
    const { title, valueCents, ownerId, expectedCloseOn } = command;
    const contactId = contact?._id ?? command.contactId;
    const deal = { id: this.#id, orgId, contactId, title, valueCents, ownerId, expectedCloseOn };
    const stage = stageId === null ? firstStage(pipelines) : findStage(pipelines, stageId);
    const decision = decideCreate({ ...deal, conversationId }, stage, {
      now: environment.clock.now(),
      isMember: team.isMember,
    });
    const refused = 'refused' in decision ? decision.refused : null;
    if (!known && refused?.kind !== 'invalid') return refuse(failure('contact_not_found'));
    return this.#commitDecision(decision, asked);
  }

  async #change(command: ChangeDeal, context: TurnContext): Promise<Answer> {
    const { environment } = this.#parts;
    const { orgId } = command;
    const state = await this.#document.load();
    if (state?.orgId !== orgId) return refuse(failure('deal_not_found'));
    const before = await this.#document.outcomeOf({ command, context });
    if (before?.answer) return before.answer;
    if (before) {
      const contact = await this.#contact(state.contactId);
      return this.#answer(state, { command, status: before.status, contact });
    }
    const needsTeam = command.stageId !== undefined || typeof command.ownerId === 'string';
    const [contact, team] = await Promise.all([
      this.#contact(state.contactId),
      needsTeam ? readTeam(environment, orgId) : null,
    ]);
    const decision = decideChange(state, command, {
      now: environment.clock.now(),
      isMember: (id) => team?.isMember(id) === true,
      stage: (stageId) => findStage(team?.pipelines ?? [], stageId),
    });
    return this.#commitDecision(decision, { command, status: 200, contact });
  }

  async #commitDecision(decision: DealDecision, asked: Asked): Promise<Answer> {
    if ('refused' in decision) return refuse(decision.refused);
    const { accepted, events } = decision;
    const answer = this.#answer(accepted, asked);
    await this.#document.commit({
      command: asked.command,
      state: accepted,
      answer,
      events: events.map((event) => this.#eventOf(event, accepted, asked)),
    });
    return answer;
  }

  #answer(state: DealState, { status, contact }: Asked): Answer {
    const data = renderDeal(state, contactNameOf(state.contactId, contact));
    return { status, body: JSON.stringify({ data }) };
  }

  #eventOf(decided: DealEvent, state: DealState, { command, contact }: Asked): OutboxEvent {
    const { event, ...stages } = decided;
    return {
      type: 'event',
      id: this.#parts.environment.ids.derive('evt', command.id, event, String(state.version)),
      event,
      data: {
        deal: renderDeal(state, contactNameOf(state.contactId, contact)),
        ...stages,
        occurredAt: timestamp(state.updatedAt),
        origin: command.origin,
      },
    };
  }

  #contact(contactId: string): Promise<ContactDocument | null> {
    return readContact(this.#parts.environment.store, contactId);
  }

  #contactNamed({ contactId, phone, orgId }: CreateDeal): Promise<ContactDocument | null> {
    const { environment } = this.#parts;
    return phone === undefined
      ? this.#contact(contactId)
      : readContactByPhone(environment, orgId, phone);
  }

  /** The named conversation, if it belongs to that contact (C4.14); else null. */
  async #conversationOf(
    command: CreateDeal,
    contact: ContactDocument | null,
  ): Promise<string | null> {
    const { conversationId, orgId } = command;
    if (conversationId === null) return null;
    // The last entry is the truth; the snapshot may not be written yet.
    const last = await this.#parts.environment.store.findOne<EntryDocument>(
      'entries',
      { conversationId },
      { sort: { seq: -1 }, project: { after: 1 } },
    );
    const conversation = last?.after;
    const theirs = [contact?._id ?? command.contactId, ...(contact?.merged ?? [])];
    const isTheirs = conversation?.orgId === orgId && theirs.includes(conversation.contact.id);
    return isTheirs ? conversationId : null;
  }
}

function refuse(refusal: Failure): Answer {
  return renderFailure(refusal);
}

function isCreate(command: Command): command is CreateDeal {
  return command.type === 'create';
}

function isChange(command: Command): command is ChangeDeal {
  return command.type === 'change';
}
