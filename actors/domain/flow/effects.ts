/**
 * Effects of a flow's step on other actors: commands in the outbox of its entry. Each is named
 * after the visit: a repeated publish does nothing (I18).
 */

import { CONTACT_FIELD_VALUE_MAX_CHARS } from '../../../shared/limits.ts';
import type { Address, Command } from '../../../shared/ports/bus.ts';
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { dayAfter } from '../../../shared/time/local-time.ts';
import type { ChangeDeal, CreateDeal, CreateTask } from '../../../shared/wire/commands.ts';
import type { OutboxCommand } from '../../../shared/wire/outbox.ts';
import type { ConversationState } from '../conversation.ts';
import type { FlowContext } from './context.ts';
import { renderTemplate, type TemplateScope } from './template.ts';

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
}

interface EffectContext {
  readonly state: ConversationState;
  readonly scope: TemplateScope;
  readonly context: FlowContext;
}

type EffectStep = StepOf<'set' | 'tag' | 'untag' | 'opt' | 'deal' | 'task'>;

/** Null when a template fails. */
export function effectsOf(
  step: EffectStep,
  effectContext: EffectContext,
): readonly OutboxCommand[] | null {
  switch (step.do) {
    case 'set': {
      const fields = renderFields(step.fields, effectContext.scope);
      return fields && [changeContact(effectContext, { fields })];
    }
    case 'tag':
      return [changeContact(effectContext, { tags: step.tags })];
    case 'untag':
      return [changeContact(effectContext, { untags: step.tags })];
    case 'opt':
      return [changeContact(effectContext, { optIn: step.optIn })];
    case 'deal':
      return step.action === 'create'
        ? createDeal(step, effectContext)
        : changeDeal(step, effectContext.context, effectContext.state);
    case 'task':
      return createTask(step, effectContext);
    default:
      return step satisfies never;
  }
}

function outboxCommand(to: Address, command: Command): OutboxCommand {
  return { type: 'command', id: command.id, to, command };
}

function changeContact(
  { state, context }: EffectContext,
  change: Pick<ChangeByFlow, 'fields' | 'tags' | 'untags' | 'optIn'>,
): OutboxCommand {
  const { id: key, phone } = context.contact;
  const head = { id: context.nameOf('cmd'), type: 'flow-change', orgId: state.orgId } as const;
  const command: ChangeByFlow = { ...head, phone, ...change };
  return outboxCommand({ kind: 'contact', key }, command);
}

function renderFields(
  templates: Readonly<Record<string, string>>,
  scope: TemplateScope,
): Readonly<Record<string, string>> | null {
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

function createDeal(
  step: StepOf<'deal'>,
  { state, scope, context }: EffectContext,
): readonly OutboxCommand[] | null {
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
  return [outboxCommand({ kind: 'deal', key: command.id }, command)];
}

/** The deal of this run, else the contact's open deal updated last; no command without a deal. */
function changeDeal(
  step: StepOf<'deal'>,
  context: FlowContext,
  state: ConversationState,
): readonly OutboxCommand[] {
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
  return [outboxCommand({ kind: 'deal', key }, command)];
}

/** The stage of that name, or, since teams rename stages, of that id; null where there is none. */
export function stageNamed(
  named: string,
  stages: readonly { readonly id: string; readonly name: string }[],
): string | null {
  const wanted = named.trim().toLowerCase();
  const byName = stages.find(({ name }) => name.trim().toLowerCase() === wanted);
  return (byName ?? stages.find(({ id }) => id === named))?.id ?? null;
}

function stageOf(named: string, { stages = [] }: FlowContext): string {
  return stageNamed(named, stages) ?? named;
}

function createTask(
  step: StepOf<'task'>,
  { state, scope, context }: EffectContext,
): readonly OutboxCommand[] | null {
  const title = renderUpTo(TITLE_MAX_CHARS.task, step.title, scope);
  const notes = renderUpTo(NOTES_MAX_CHARS, step.notes ?? '', scope);
  if (title === null || notes === null) return null;
  const { dueInDays, dueTime } = step;
  const dueOn =
    dueInDays === undefined ? null : dayAfter(context.now, dueInDays, context.org.timeZone);
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
    dueTime: dueTime ?? null,
    origin: 'flow',
  };
  return [outboxCommand({ kind: 'task', key: command.id }, command)];
}
