/**
 * One deal in memory: changes committed by compare-and-set of `version`, their events in the same
 * document (I16). A create is asked of the deal that will have the command's id.
 */
import type { ChangeDeal, CreateDeal } from '../../shared/commands.ts';
import { type Failure, failure, renderFailure } from '../../shared/failures.ts';
import type { OutboxEvent } from '../../shared/outbox.ts';
import { timestamp } from '../../shared/outbox.ts';
import type { Answer, Command } from '../../shared/ports.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import type { ContactDocument } from '../contact/documents.ts';
import { readContact, readContactByPhone } from '../contact/resolve.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import {
  type DealDecision,
  type DealEvent,
  type DealState,
  decideChange,
  decideCreate,
} from '../domain/deal.ts';
import { firstPlace, placeOf } from '../domain/pipeline.ts';
import {
  type RecordParts,
  type RecordPlace,
  VersionedDocument,
} from '../outbox/versioned-document.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import { DEAL_TALLY } from '../tally/tallied.ts';
import { pipelinesOf, readTeam } from './organization.ts';
import { contactNameOf, renderDeal } from './render.ts';

export const DEALS: RecordPlace<DealState> = {
  kind: 'deal',
  collection: 'deals',
  tally: DEAL_TALLY,
};

interface Asked {
  readonly command: Command & { readonly origin: Origin };
  readonly status: number;
  readonly contact: ContactDocument | null;
}

export class DealActor implements Actor {
  readonly #id: string;
  readonly #parts: RecordParts;
  readonly #record: VersionedDocument<DealState>;

  constructor(id: string, parts: RecordParts) {
    this.#id = id;
    this.#parts = parts;
    this.#record = new VersionedDocument(parts, DEALS, id);
  }

  turn(command: Command, context: TurnContext): Promise<Answer> {
    if (isCreate(command)) return this.#create(command, context);
    if (isChange(command)) return this.#change(command, context);
    throw new TypeError(`a deal knows no command ${command.type}`);
  }

  async #create(command: CreateDeal, context: TurnContext): Promise<Answer> {
    const { world } = this.#parts;
    const { orgId, stageId } = command;
    const [state, contact] = await Promise.all([this.#record.load(), this.#named(command)]);
    const before = await this.#record.outcomeOf({ command, context });
    if (before?.answer) return before.answer;
    const asked: Asked = { command, status: 201, contact };
    if (state) return this.#answer(state, asked);
    const [team, conversationId] = await Promise.all([
      readTeam(world, orgId),
      this.#conversationOf(command, contact),
    ]);
    const known = contact?.orgId === orgId;
    // A refused deal makes no pipeline.
    const pipelines = known
      ? await pipelinesOf(world, orgId, team.pipelines)
      : (team.pipelines ?? []);
    const { title, valueCents, ownerId, expectedCloseOn } = command;
    const contactId = contact?._id ?? command.contactId;
    const deal = { id: this.#id, orgId, contactId, title, valueCents, ownerId, expectedCloseOn };
    const place = stageId === null ? firstPlace(pipelines) : placeOf(pipelines, stageId);
    const decision = decideCreate({ ...deal, conversationId }, place, {
      now: world.clock.now(),
      isMember: team.isMember,
    });
    const refused = 'refused' in decision ? decision.refused : null;
    if (!known && refused?.kind !== 'invalid') return refuse(failure('contact_not_found'));
    return this.#settle(decision, asked);
  }

  async #change(command: ChangeDeal, context: TurnContext): Promise<Answer> {
    const { world } = this.#parts;
    const { orgId } = command;
    const state = await this.#record.load();
    if (state?.orgId !== orgId) return refuse(failure('deal_not_found'));
    const before = await this.#record.outcomeOf({ command, context });
    if (before?.answer) return before.answer;
    if (before) {
      const contact = await this.#contact(state.contactId);
      return this.#answer(state, { command, status: before.status, contact });
    }
    const needsTeam = command.stageId !== undefined || typeof command.ownerId === 'string';
    const [contact, team] = await Promise.all([
      this.#contact(state.contactId),
      needsTeam ? readTeam(world, orgId) : null,
    ]);
    const decision = decideChange(state, command, {
      now: world.clock.now(),
      isMember: (id) => team?.isMember(id) === true,
      place: (stageId) => placeOf(team?.pipelines ?? [], stageId),
    });
    return this.#settle(decision, { command, status: 200, contact });
  }

  async #settle(decision: DealDecision, asked: Asked): Promise<Answer> {
    if ('refused' in decision) return refuse(decision.refused);
    const { accepted, events } = decision;
    const answer = this.#answer(accepted, asked);
    await this.#record.commit({
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

  #eventOf(told: DealEvent, state: DealState, { command, contact }: Asked): OutboxEvent {
    const { event, ...stages } = told;
    return {
      type: 'event',
      id: this.#parts.world.ids.derive('evt', command.id, event, String(state.version)),
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
    return readContact(this.#parts.world.store, contactId);
  }

  #named({ contactId, phone, orgId }: CreateDeal): Promise<ContactDocument | null> {
    const { world } = this.#parts;
    return phone === undefined ? this.#contact(contactId) : readContactByPhone(world, orgId, phone);
  }

  /** Stored only if the conversation belongs to that contact (C4.14). */
  async #conversationOf(
    command: CreateDeal,
    contact: ContactDocument | null,
  ): Promise<string | null> {
    const { conversationId, orgId } = command;
    if (conversationId === null) return null;
    // The last entry is the truth, also while the conversation's snapshot is still to be written.
    const last = await this.#parts.world.store.findOne<EntryDocument>(
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
