/**
 * Kind of deals and their actor: commits changes by compare-and-set of `version`, with their events
 * in the same document (I16). A create goes to the deal that will have the command's id.
 *
 * 1. A deal whose stage was removed follows first: no turn decides about it there (D440).
 * 2. The stage that a deal enters may be removed at the same moment, unseen by the turn. So it is
 *    looked at again after the commit, before the events leave the document: those that a crash
 *    leaves there are published by the next owner, which looks too. Whoever removes a stage reads
 *    its deals after all processes know of it, so one of the two sees the other.
 */
import type { Deal } from '../../shared/api/deal.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, AnswerOf, Command, CommandOf } from '../../shared/ports/bus.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { ChangeDeal, CreateDeal } from '../../shared/wire/commands.ts';
import { type OutboxEvent, timestamp } from '../../shared/wire/outbox.ts';
import { readContact, readContactByPhone } from '../contact/read-contact.ts';
import { COUNTED_DEALS } from '../counters/counted-collections.ts';
import {
  type DealDecision,
  type DealEvent,
  type DealState,
  decideChange,
  decideCreate,
  decideFollow,
} from '../domain/deal.ts';
import { findStage, firstStage, placeOfLeft } from '../domain/organization.ts';
import type { ContactDocument } from '../model/contact.ts';
import type { FollowStage } from '../model/deal.ts';
import { pipelinesOf, readTeam, type Team } from '../organization/team.ts';
import type { OrganizationViews } from '../organization/views.ts';
import {
  type EntityDefinition,
  type EntityParts,
  recoverOutbox,
  unpublishedPublisher,
  VersionedDocument,
} from '../outbox/versioned-document.ts';
import type { Actor, Kind, TurnContext } from '../runtime/kind.ts';
import { askUntilAcknowledged, retryWhile } from '../runtime/repeat.ts';
import { type Handlers, handlerOf } from '../runtime/turn.ts';
import { contactNameOf, renderDeal } from './render.ts';

export const DEALS: EntityDefinition<DealState> = {
  kind: 'deal',
  collection: 'deals',
  load: (store, id) => store.byId('deals', id),
  countedCollection: COUNTED_DEALS,
};

export interface DealParts extends EntityParts {
  readonly views: Pick<OrganizationViews, 'read'>;
}

interface Asked {
  readonly command: Pick<Command, 'id' | 'lasting' | 'by'> & { readonly origin: Origin };
  readonly status: number;
  readonly contact: ContactDocument | null;
}

class DealActor implements Actor<'deal'> {
  readonly #id: string;
  readonly #parts: DealParts;
  readonly #document: VersionedDocument<DealState>;

  constructor(id: string, parts: DealParts) {
    this.#id = id;
    this.#parts = parts;
    this.#document = new VersionedDocument(parts, DEALS, id);
  }

  static readonly #HANDLERS: Handlers<'deal', DealActor> = {
    create: (deal, command, context) => deal.#create(command, context),
    change: (deal, command, context) => deal.#change(command, context),
    follow: (deal, command) => deal.#follow(command),
  };

  turn(command: CommandOf<'deal'>, context: TurnContext): Promise<Answer> {
    return handlerOf(DealActor.#HANDLERS, command)(this, command, context);
  }

  async #create(command: CreateDeal, context: TurnContext): Promise<Answer> {
    const { environment } = this.#parts;
    const { orgId, stageId } = command;
    const [state, contact] = await Promise.all([this.#load(), this.#contactNamed(command)]);
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
    const { pipelines: stored = [] } = team;
    const pipelines = known ? await pipelinesOf(environment, orgId, stored) : stored;
    const { title, valueCents, ownerId, expectedCloseOn } = command;
    const contactId = contact?._id ?? command.contactId;
    const deal = { id: this.#id, orgId, contactId, title, valueCents, ownerId, expectedCloseOn };
    const named = { ...team, pipelines };
    const stage = stageId === null ? firstStage(pipelines) : stageOf(named, stageId, command);
    const facts = { now: environment.clock.now(), isMember: team.isMember };
    const decision = decideCreate({ ...deal, conversationId }, stage, facts);
    const refused = 'refused' in decision ? decision.refused : null;
    if (!known && refused?.kind !== 'invalid') return renderFailure(failure('contact_not_found'));
    return this.#commitDecision(decision, asked);
  }

  async #change(command: ChangeDeal, context: TurnContext): Promise<Answer> {
    const { environment } = this.#parts;
    const { orgId } = command;
    const state = await this.#load();
    if (state?.orgId !== orgId) return renderFailure(failure('deal_not_found'));
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
      stage: (stageId) => (team ? stageOf(team, stageId, command) : null),
    });
    return this.#commitDecision(decision, { command, status: 200, contact });
  }

  async #follow({ orgId }: FollowStage): Promise<Answer> {
    const state = await this.#load();
    return state?.orgId === orgId ? DONE : renderFailure(failure('deal_not_found'));
  }

  /** The deal, in a stage that is there. */
  async #load(): Promise<DealState | null> {
    const { environment, views } = this.#parts;
    const state = await this.#document.load();
    if (!state) return null;
    const organization = await views.read(state.orgId);
    const left = organization?.leftStages?.find(({ id }) => id === state.stageId);
    if (!left) return state;
    const id = environment.ids.derive('cmd', left.commandId, left.id, state.id);
    const contact = await this.#contact(state.contactId);
    const to = { pipelineId: left.pipelineId, stageId: left.to };
    const decision = decideFollow(state, to, environment.clock.now());
    const command = { id, origin: left.origin };
    await this.#commitDecision(decision, { command, status: 200, contact });
    return decision.accepted;
  }

  async #commitDecision(decision: DealDecision, asked: Asked): Promise<Answer> {
    if ('refused' in decision) return renderFailure(decision.refused);
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

  #answer(state: DealState, { status, contact }: Asked): AnswerOf<{ readonly data: Deal }> {
    const data = renderDeal(state, contactNameOf(state.contactId, contact));
    return answerOf({ data }, status);
  }

  #eventOf(decided: DealEvent, state: DealState, { command, contact }: Asked): OutboxEvent {
    const { event, ...stages } = decided;
    const { ids } = this.#parts.environment;
    const id = ids.derive('evt', command.id, event, String(state.version));
    const deal = renderDeal(state, contactNameOf(state.contactId, contact));
    const occurredAt = timestamp(state.updatedAt);
    const data = { deal, ...stages, occurredAt, origin: command.origin };
    return { type: 'event', id, event, data };
  }

  #contact(contactId: string): Promise<ContactDocument | null> {
    return readContact(this.#parts.environment.store, contactId);
  }

  #contactNamed({ contactId, phone, orgId }: CreateDeal): Promise<ContactDocument | null> {
    if (phone === undefined) return this.#contact(contactId);
    return readContactByPhone(this.#parts.environment, orgId, phone);
  }

  /** The named conversation, if it belongs to that contact (C4.14); else null. */
  async #conversationOf(
    { conversationId, orgId, contactId }: CreateDeal,
    contact: ContactDocument | null,
  ): Promise<string | null> {
    if (conversationId === null) return null;
    // The last entry is the truth; the snapshot may not be written yet.
    const { store } = this.#parts.environment;
    const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
    const last = await store.findOne('entries', { conversationId }, newest);
    const conversation = last?.after;
    const theirs = [contact?._id ?? contactId, ...(contact?.merged ?? [])];
    const isTheirs = conversation?.orgId === orgId && theirs.includes(conversation.contact.id);
    return isTheirs ? conversationId : null;
  }
}

/** A flow names a stage some time before its command arrives: the stage may be gone by then. */
function stageOf(
  { pipelines = [], leftStages }: Pick<Team, 'pipelines' | 'leftStages'>,
  stageId: string,
  { origin }: { readonly origin: Origin },
) {
  const left = () => (origin === 'flow' ? placeOfLeft(leftStages, stageId) : null);
  return findStage(pipelines, stageId) ?? left();
}

/** Until the deal is in a stage that is there; false when the lease has ended. */
async function inStage(
  { environment, views }: DealParts,
  { id, orgId, stageId }: Pick<DealState, 'id' | 'orgId' | 'stageId'>,
): Promise<boolean> {
  const { leaseHeld: mayAct, ids } = environment;
  const retry = { mayAct, wait: { firstMs: 200 }, failedMessage: 'a stage was not looked at' };
  const seen = await retryWhile(environment, { ...retry, fields: { id } }, async () => {
    const organization = await views.read(orgId);
    return { isLeft: placeOfLeft(organization?.leftStages, stageId) !== null };
  });
  if (!seen?.isLeft) return seen !== null;
  const command: FollowStage = { id: ids.fresh('cmd'), type: 'follow', orgId };
  const to = { kind: 'deal', key: id } as const;
  const failedMessage = 'a deal did not follow its stage';
  return (await askUntilAcknowledged(environment, { to, command, mayAct, failedMessage })) !== null;
}

export function dealKind(given: DealParts): Kind {
  const parts: DealParts = {
    ...given,
    beforePublishing: async (state) => !('stageId' in state) || (await inStage(given, state)),
  };
  const publishUnpublished = unpublishedPublisher(parts, DEALS);
  return {
    kind: 'deal',
    open: (key) => new DealActor(key, parts),
    acquire: publishUnpublished,
    recoverLate: publishUnpublished,
    recover: (key) => recoverOutbox(parts, DEALS, key),
  };
}
