/**
 * Actor of one task: commits changes by compare-and-set of `version`, with their events in the same
 * document. The task of a create has the command's id.
 *
 * 1. The reminder sender writes the same document, but only the reminder's fields. The actor then
 *    finds a newer version, reloads, and decides again.
 */

import { type Failure, failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import type { ChangeTask, CreateTask } from '../../shared/wire/commands.ts';
import type { OutboxEvent } from '../../shared/wire/outbox.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { readContact, readContactByPhone } from '../contact/resolve.ts';
import { readTeam } from '../deal/organization.ts';
import type { DealState } from '../domain/deal.ts';
import {
  decideChange,
  decideCreate,
  type TaskDecision,
  type TaskEvent,
  type TaskState,
  type TaskSubject,
} from '../domain/task.ts';
import {
  type EntityDocument,
  type EntityParts,
  VersionedDocument,
} from '../outbox/versioned-document.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import { TASKS } from './documents.ts';
import { renderTask } from './render.ts';

interface Asked {
  readonly command: Command & { readonly origin: Origin };
  readonly status: number;
}

export class TaskActor implements Actor {
  readonly #id: string;
  readonly #parts: EntityParts;
  readonly #record: VersionedDocument<TaskState>;

  constructor(id: string, parts: EntityParts) {
    this.#id = id;
    this.#parts = parts;
    this.#record = new VersionedDocument(parts, TASKS, id);
  }

  turn(command: Command, context: TurnContext): Promise<Answer> {
    if (isCreate(command)) return this.#create(command, context);
    if (isChange(command)) return this.#change(command, context);
    throw new TypeError(`a task knows no command ${command.type}`);
  }

  async #create(command: CreateTask, context: TurnContext): Promise<Answer> {
    const { environment } = this.#parts;
    const { orgId, title, notes, assigneeId, dueOn, dueTime } = command;
    const state = await this.#record.load();
    const before = await this.#record.outcomeOf({ command, context });
    if (before?.answer) return before.answer;
    const asked: Asked = { command, status: 201 };
    if (state) return answerOf(state, asked);
    const [team, subject] = await Promise.all([
      readTeam(environment, orgId),
      this.#subject(command),
    ]);
    const { timeZone, isMember } = team;
    const task = { id: this.#id, orgId, title, notes, assigneeId, dueOn, dueTime };
    const named = 'kind' in subject ? NO_SUBJECT : subject;
    const decision = decideCreate(task, named, {
      now: environment.clock.now(),
      timeZone,
      isMember,
    });
    // A faulty request is reported before a missing subject (D7).
    if ('kind' in subject && !('refused' in decision)) return renderFailure(subject);
    return this.#commitDecision(decision, asked);
  }

  async #change(command: ChangeTask, context: TurnContext): Promise<Answer> {
    const { environment } = this.#parts;
    const { orgId, assigneeId, dueOn, dueTime } = command;
    const state = await this.#record.load();
    if (state?.orgId !== orgId) return renderFailure(failure('task_not_found'));
    const before = await this.#record.outcomeOf({ command, context });
    if (before) return before.answer ?? answerOf(state, { command, status: before.status });
    const needsTeam = [assigneeId, dueOn, dueTime].some((value) => value !== undefined);
    const team = needsTeam ? await readTeam(environment, orgId) : null;
    const decision = decideChange(state, command, {
      now: environment.clock.now(),
      timeZone: team?.timeZone ?? 'UTC',
      isMember: (id) => team?.isMember(id) === true,
    });
    return this.#commitDecision(decision, { command, status: 200 });
  }

  async #commitDecision(decision: TaskDecision, asked: Asked): Promise<Answer> {
    if ('refused' in decision) return renderFailure(decision.refused);
    const { accepted, events } = decision;
    const answer = answerOf(accepted, asked);
    await this.#record.commit({
      command: asked.command,
      state: accepted,
      answer,
      events: events.map((event) => this.#eventOf(event, accepted, asked)),
    });
    return answer;
  }

  #eventOf(event: TaskEvent, state: TaskState, { command }: Asked): OutboxEvent {
    return {
      type: 'event',
      id: this.#parts.environment.ids.derive('evt', command.id, event, String(state.version)),
      event,
      data: {
        task: renderTask(state),
        occurredAt: timestamp(state.updatedAt),
        origin: command.origin,
      },
    };
  }

  /** The subject of the task, or the failure that names the one missing in the organization. */
  async #subject(command: CreateTask): Promise<TaskSubject | Failure> {
    const { environment } = this.#parts;
    const { store } = environment;
    const { orgId, contactId, contactNamedBy, dealId, phone } = command;
    const readById = () => (contactId === null ? null : readContact(store, contactId));
    const [deal, contact] = await Promise.all([
      dealId === null ? null : store.byId<EntityDocument<DealState>>('deals', dealId),
      phone === undefined ? readById() : readContactByPhone(environment, orgId, phone),
    ]);
    if (dealId !== null && deal?.state.orgId !== orgId) return failure('deal_not_found');
    if (contactId !== null && contact?.orgId !== orgId) return failure('contact_not_found');
    const named = contact?._id ?? contactId;
    // The deal may name its contact by an id that has been merged since.
    const isSame = contact?.merged?.includes(deal?.state.contactId ?? '') === true;
    const subject = deal && (isSame && named ? { ...deal.state, contactId: named } : deal.state);
    return { contactId: named, contactNamedBy, deal: subject };
  }
}

const NO_SUBJECT: TaskSubject = { contactId: null, contactNamedBy: 'contactId', deal: null };

function answerOf(state: TaskState, { status }: Asked): Answer {
  return { status, body: JSON.stringify({ data: renderTask(state) }) };
}

function isCreate(command: Command): command is CreateTask {
  return command.type === 'create';
}

function isChange(command: Command): command is ChangeTask {
  return command.type === 'change';
}
