/**
 * Effects of a flow's step on other actors: commands in the outbox of its entry.
 *
 * 1. Each command is named after the visit: a repeated publish does nothing (I18).
 * 2. A deal's refusal is final: a `deal` step is checked before, and the run continues without it.
 *    A step that creates or changes a deal either asks the deal or leaves a note.
 * 3. A `move` or `close` for a contact without a deal is no problem: it does nothing.
 */
import { CONTACT_FIELD_VALUE_MAX_CHARS } from '../../../shared/limits.ts';
import { renderTemplate, type TemplateScope } from '../../../shared/liquid/template.ts';
import type { Command } from '../../../shared/ports/bus.ts';
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { dayAfter } from '../../../shared/time/local-time.ts';
import type { ChangeDeal, CreateDeal, CreateTask } from '../../../shared/wire/commands.ts';
import { type OutboxCommand, outboxCommand } from '../../../shared/wire/outbox.ts';
import type { ConversationState } from '../conversation/conversation.ts';
import type { Run } from '../flow-run.ts';
import { stageNamed } from '../stage-names.ts';
import type { FlowContext } from './context.ts';
import type { Unable } from './unable.ts';

const TITLE_MAX_CHARS = { deal: 120, task: 160 } as const;
const NOTES_MAX_CHARS = 2_000;

/** To `contact`: a flow's changes of it. Answers 200. */
export interface ChangeByFlow extends Command {
  readonly type: 'flow-change';
  readonly orgId: string;
  readonly phone: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly untags?: readonly string[];
  readonly optIn?: boolean;
  /** The run, where its step opts in or out. */
  readonly runId?: string;
}

interface EffectContext {
  readonly run: Run;
  readonly state: ConversationState;
  readonly scope: TemplateScope;
  readonly context: FlowContext;
}

/** A step whose effect is a command to another actor. */
export type EffectStep = StepOf<'set' | 'tag' | 'untag' | 'opt' | 'deal' | 'task'>;

/** Null when a template fails. */
export function effectsOf(step: EffectStep, visit: EffectContext): readonly OutboxCommand[] | null {
  switch (step.do) {
    case 'set': {
      const fields = renderFields(step.fields, visit.scope);
      return fields && [changeContact(visit, { fields })];
    }
    case 'tag':
      return [changeContact(visit, { tags: step.tags })];
    case 'untag':
      return [changeContact(visit, { untags: step.tags })];
    case 'opt':
      return [changeContact(visit, { optIn: step.optIn, runId: visit.run.id })];
    case 'deal':
      return (step.action === 'create' ? createDeal : changeDeal)(step, visit);
    case 'task':
      return createTask(step, visit);
    default:
      return step satisfies never;
  }
}

function changeContact(
  { state, context }: EffectContext,
  change: Pick<ChangeByFlow, 'fields' | 'tags' | 'untags' | 'optIn' | 'runId'>,
): OutboxCommand {
  const { id: key, phone } = context.contact;
  const head = { id: context.nameOf('cmd'), type: 'flow-change', orgId: state.orgId } as const;
  const command: ChangeByFlow = { ...head, phone, ...change };
  return outboxCommand({ to: { kind: 'contact', key }, command });
}

function renderFields(templates: Readonly<Record<string, string>>, scope: TemplateScope) {
  const fields: [string, string][] = [];
  for (const [name, template] of Object.entries(templates)) {
    const text = renderUpTo(CONTACT_FIELD_VALUE_MAX_CHARS, template, scope);
    if (text === null) return null;
    fields.push([name, text]);
  }
  return Object.fromEntries(fields);
}

function renderUpTo(maxChars: number, template: string, scope: TemplateScope): string | null {
  const rendered = renderTemplate(template, scope);
  if ('failed' in rendered) return null;
  return Array.from(rendered.text.trim()).slice(0, maxChars).join('');
}

function createDeal(step: StepOf<'deal'>, { state, scope, context }: EffectContext) {
  const title = renderUpTo(TITLE_MAX_CHARS.deal, step.title ?? '', scope);
  if (title === null) return null;
  const command: CreateDeal = {
    id: context.nameOf('deal'),
    type: 'create',
    orgId: state.orgId,
    contactId: state.contact.id,
    title: title || context.org.name,
    valueCents: step.valueCents ?? 0,
    stageId: step.stage === undefined ? null : stageOf(step.stage, context),
    ownerId: null,
    expectedCloseOn: null,
    conversationId: state.id,
    origin: 'flow',
  };
  return [outboxCommand({ to: { kind: 'deal', key: command.id }, command })];
}

/** The deal of this run, else the contact's open deal updated last; no command without a deal. */
function changeDeal(step: StepOf<'deal'>, { state, context }: EffectContext) {
  const key = state.run?.dealId ?? context.dealId ?? null;
  if (key === null) return [];
  const { status, lostReason, stage } = step;
  const moved = stage === undefined ? null : stageOf(stage, context);
  const command: ChangeDeal = {
    id: context.nameOf('cmd'),
    type: 'change',
    orgId: state.orgId,
    ...(moved === null ? {} : { stageId: moved }),
    ...(status === undefined ? {} : { status }),
    ...(lostReason === undefined ? {} : { lostReason }),
    origin: 'flow',
  };
  return [outboxCommand({ to: { kind: 'deal', key }, command })];
}

function stageOf(named: string, { stages = [] }: FlowContext): string {
  return stageNamed(named, stages) ?? named;
}

function createTask(step: StepOf<'task'>, { state, scope, context }: EffectContext) {
  const title = renderUpTo(TITLE_MAX_CHARS.task, step.title, scope);
  const notes = renderUpTo(NOTES_MAX_CHARS, step.notes ?? '', scope);
  if (title === null || notes === null) return null;
  const { dueInDays: days } = step;
  const dueOn = days === undefined ? null : dayAfter(context.now, days, context.org.timeZone);
  const command: CreateTask = {
    id: context.nameOf('task'),
    type: 'create',
    orgId: state.orgId,
    title: title || context.org.name,
    notes: notes || null,
    contactId: state.contact.id,
    contactNamedBy: 'contactId',
    dealId: null,
    assigneeId: step.assignee ?? null,
    dueOn,
    dueTime: step.dueTime ?? null,
    origin: 'flow',
  };
  return [outboxCommand({ to: { kind: 'task', key: command.id }, command })];
}

const UNDONE = {
  create: 'o negócio não foi criado',
  move: 'o negócio não foi movido',
  close: 'o negócio não foi fechado',
} as const;

/** Null where the step can proceed. */
export function unableDeal(
  step: StepOf<'deal'>,
  run: Run,
  { stages = [], ownDeal }: Pick<FlowContext, 'stages' | 'ownDeal'>,
): Unable | null {
  const of = (reason: Unable['reason'], why: string): Unable => ({
    reason,
    note: `Fluxo "${run.flowName}", etapa "${step.id}": ${UNDONE[step.action]}, porque ${why}.`,
  });
  if (step.stage !== undefined && stageNamed(step.stage, stages) === null) {
    return of('stage_not_found', `não há a etapa "${step.stage}" no funil`);
  }
  if (step.action === 'create' || run.dealId === null || ownDeal === undefined) return null;
  if (ownDeal === null) return of('deal_not_found', 'o negócio deste fluxo não existe');
  return ownDeal === 'open' ? null : of('deal_closed', 'ele já está fechado');
}
