/**
 * Actor of one task: commits changes by compare-and-set of `version`, with their events in the same
 * document. The task of a create has the command's id.
 *
 * 1. The reminder sender writes the same document, but only the reminder's fields. The actor then
 *    finds a newer version, reloads, and decides again.
 */
import type { Task } from '../../shared/api/task.ts';
import { type Failure, failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, AnswerOf, CommandOf } from '../../shared/ports/bus.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { ChangeTask, CreateTask } from '../../shared/wire/commands.ts';
import { type OutboxEvent, timestamp } from '../../shared/wire/outbox.ts';
import { readContact, readContactByPhone } from '../contact/read-contact.ts';
import {
  decideChange,
  decideCreate,
  type TaskDecision,
  type TaskEvent,
  type TaskState,
  type TaskSubject,
} from '../domain/task.ts';
import { readTeam } from '../organization/team.ts';
import { type EntityParts, VersionedDocument } from '../outbox/versioned-document.ts';
import type { Actor, TurnContext } from '../runtime/kind.ts';
import { type Handlers, handlerOf } from '../runtime/turn.ts';
import { TASKS } from './documents.ts';
import { renderTask } from './render.ts';

interface Asked {
  readonly command: CommandOf<'task'>;
  readonly status: number;
}

export class TaskActor implements Actor<'task'> {
  readonly #id: string;
  readonly #parts: EntityParts;
  readonly #record: VersionedDocument<TaskState>;

  constructor(id: string, parts: EntityParts) {
    this.#id = id;
    this.#parts = parts;
    this.#record = new VersionedDocument(parts, TASKS, id);
  }

  static readonly #HANDLERS: Handlers<'task', TaskActor> = {
    create: (task, command, context) => task.#create(command, context),
    change: (task, command, context) => task.#change(command, context),
  };

  turn(command: CommandOf<'task'>, context: TurnContext): Promise<Answer> {
    return handlerOf(TaskActor.#HANDLERS, command)(this, command, context);
  }

  async #create(command: CreateTask, context: TurnContext): Promise<Answer> {
    const { environment } = this.#parts;
    const { orgId, title, notes, assigneeId, dueOn, dueTime } = command;
    const state = await this.#record.load();
    const before = await this.#record.outcomeOf({ command, context });
    if (before?.answer) return before.answer;
    const asked: Asked = { command, status: 201 };
    if (state) return rendered(state, asked);
    const [team, subject] = await Promise.all([
      readTeam(environment, orgId),
      this.#subject(command),
    ]);
    const task = { id: this.#id, orgId, title, notes, assigneeId, dueOn, dueTime };
    const named = 'kind' in subject ? NO_SUBJECT : subject;
    const { timeZone, isMember } = team;
    const facts = { now: environment.clock.now(), timeZone, isMember };
    const decision = decideCreate(task, named, facts);
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
    if (before) return before.answer ?? rendered(state, { command, status: before.status });
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
    const answer = rendered(accepted, asked);
    await this.#record.commit({
      command: asked.command,
      state: accepted,
      answer,
      events: events.map((event) => this.#eventOf(event, accepted, asked)),
    });
    return answer;
  }

  #eventOf(event: TaskEvent, state: TaskState, { command }: Asked): OutboxEvent {
    const { ids } = this.#parts.environment;
    const id = ids.derive('evt', command.id, event, String(state.version));
    const occurredAt = timestamp(state.updatedAt);
    const data = { task: renderTask(state), occurredAt, origin: command.origin };
    return { type: 'event', id, event, data };
  }

  /** The subject of the task, or the failure that names the one missing in the organization. */
  async #subject(command: CreateTask): Promise<TaskSubject | Failure> {
    const { environment } = this.#parts;
    const { orgId, contactId, contactNamedBy, dealId, phone } = command;
    const readById = () => (contactId === null ? null : readContact(environment.store, contactId));
    const [deal, contact] = await Promise.all([
      dealId === null ? null : environment.store.byId('deals', dealId),
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

function rendered(state: TaskState, { status }: Asked): AnswerOf<{ readonly data: Task }> {
  return answerOf({ data: renderTask(state) }, status);
}
