/**
 * The `send` step: its message, or why there is none.
 *
 * 1. An empty text sends no message, and a missing file is left out: the run continues.
 * 2. A message that the network would refuse is not sent. The run continues at `onError`, or at
 *    `next`, and a note reports it.
 */

import { SENTENCES } from '../../../shared/api/sentences.ts';
import { FAILURES, type Issue } from '../../../shared/failures.ts';
import { CAPTION_MAX_CHARS, MESSAGE_TEXT_MAX_CHARS } from '../../../shared/limits.ts';
import { renderTemplate, type TemplateScope } from '../../../shared/liquid/template.ts';
import type { FallbackTemplate } from '../../../shared/message.ts';
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { outboxCommand } from '../../../shared/wire/outbox.ts';
import {
  type Accepted,
  type ConversationState,
  decideSend,
  type OutboundDraft,
} from '../conversation/conversation.ts';
import {
  type DraftContent,
  fallbackDraft,
  NO_FILE,
  structuredDraft,
} from '../conversation/outbound-content.ts';
import { type NotePause, turnsAfterFlow } from '../conversation/quick-turns.ts';
import { checkTemplate } from '../template.ts';
import { advance, arrive, type CurrentStep, stop, withNote, withRun } from './arrival.ts';
import { type Failed, plainContent, type Refused, templateValues } from './content.ts';
import { type FlowContext, scopeOf } from './context.ts';
import type { StepDecision, Unable } from './unable.ts';

type Send = StepOf<'send'>;
type Current = CurrentStep<Send>;

interface Undone extends Refused {
  readonly reason: Unable['reason'];
}

/** Null: there is nothing to send. */
type Prepared = { readonly message: DraftContent | null } | Undone | Failed;

export function decideSendStep(state: ConversationState, current: Current): StepDecision {
  const { run, step, context } = current;
  const { now } = context;
  const prepared = prepare(step, context, scopeOf(state, run, context));
  if ('failed' in prepared) return stop(state, now, 'template_failed');
  if ('issues' in prepared) return undone(state, current, prepared);
  const next = arrive(run, step.next, context);
  const { message } = prepared;
  if (!message) return advance(state, next, now);
  const draft = { ...message, ...quoted(step, message, context), authorLabel: run.flowName };
  const sent = decideSend(state, { ...draft, origin: 'flow' }, now);
  return answered({ ...sent, state: withRun(sent.state, next) }, current);
}

/** The note of a pause is a command of the entry: whatever dies, it is written once. */
function answered(sent: Accepted, { run, context }: Current): StepDecision {
  const { quickTurns: _, ...before } = sent.state;
  const { turns, pausedUntil } = turnsAfterFlow(sent.state, context.now);
  const state = { ...before, ...turns };
  if (pausedUntil === null) return { ...sent, state };
  const { flowName } = run;
  const command: NotePause = { id: context.nameOf('cmd'), type: 'note-pause', flowName };
  const told = outboxCommand({ to: { kind: 'conversation', key: state.id }, command });
  const paused = { ...state, automationPausedUntil: pausedUntil };
  return { ...sent, state: paused, outbox: [...sent.outbox, told] };
}

function undone(
  state: ConversationState,
  { run, step, context }: Current,
  { reason, issues }: Undone,
): StepDecision {
  const { now } = context;
  const why = issues.map(({ path, message }) => `${path}: ${message}`).join(' ');
  const text = `Fluxo "${run.flowName}", etapa "${step.id}": a mensagem não foi enviada. ${why}`;
  const next = arrive(run, step.onError === undefined ? step.next : step.onError, context);
  return { ...withNote(withRun(state, next), { run, text, now }), unable: reason };
}

/**
 * The contact's last message as the quoted one; none where the contact never wrote. A template in
 * place of the message quotes nothing (D290).
 */
function quoted(
  { reply, template }: Send,
  { content }: DraftContent,
  { lastReceivedId = null }: FlowContext,
): Pick<OutboundDraft, 'replyToId'> {
  const isFallback = template === undefined && content?.type === 'template';
  if (reply !== true || lastReceivedId === null || isFallback) return {};
  return { replyToId: lastReceivedId };
}

function prepare(step: Send, context: FlowContext, scope: TemplateScope): Prepared {
  if (context.provider === 'web') {
    const field = step.template ? 'template' : step.interactive ? 'interactive' : null;
    if (field) return refused('not_on_web', { path: field, message: SENTENCES.notOnWeb });
  }
  if (step.template) {
    const found = preparedTemplate(step.template, context, { at: 'template', scope });
    return 'template' in found ? { message: fallbackDraft(found) } : found;
  }
  if (step.reaction) return reactionOf(step.reaction.emoji, context);
  return context.window === 'closed' ? outside(step, context, scope) : inside(step, context, scope);
}

function refused(reason: Unable['reason'], issue: Issue): Undone {
  return { reason, issues: [issue] };
}

function reactionOf(emoji: string, { lastReceivedId = null }: FlowContext): Prepared {
  if (lastReceivedId === null) {
    const message = 'O contato ainda não escreveu nesta conversa.';
    return refused('nothing_received', { path: 'reaction', message });
  }
  const reaction = { messageId: lastReceivedId, emoji };
  return { message: structuredDraft({ type: 'reaction', reaction }) };
}

/** The network takes no free text now: the template in its place, or what the step says. */
function outside(step: Send, context: FlowContext, scope: TemplateScope): Prepared {
  const { fallbackTemplate: written } = step;
  if (written) {
    const found = preparedTemplate(written, context, { at: 'fallbackTemplate', scope });
    return 'template' in found ? { message: fallbackDraft(found) } : found;
  }
  if (step.outsideWindow !== 'refuse') return freeMessage(step, context, scope);
  const message = FAILURES.window_closed.sentence;
  return refused('window_closed', { path: 'outsideWindow', message });
}

/** A fallback that cannot be sent now is left out: the text is what counts. */
function inside(step: Send, context: FlowContext, scope: TemplateScope): Prepared {
  const prepared = freeMessage(step, context, scope);
  const { fallbackTemplate: written } = step;
  if (!written || context.provider === 'web') return prepared;
  if (!('message' in prepared) || !prepared.message) return prepared;
  const found = preparedTemplate(written, context, { at: 'fallbackTemplate', scope });
  return 'template' in found ? { message: { ...prepared.message, fallback: found } } : prepared;
}

function freeMessage(step: Send, context: FlowContext, scope: TemplateScope): Prepared {
  const plain = plainContent(step, scope);
  if (!plain) return textMessage(step, context, scope);
  if ('failed' in plain) return plain;
  if ('issues' in plain) return { reason: 'content_invalid', ...plain };
  return { message: structuredDraft(plain.content) };
}

/** The text of a file is its caption. */
function textMessage(step: Send, context: FlowContext, scope: TemplateScope): Prepared {
  const rendered = renderTemplate(step.text ?? '', scope);
  if ('failed' in rendered) return { failed: true };
  const file = context.file ?? null;
  const most = file ? CAPTION_MAX_CHARS : MESSAGE_TEXT_MAX_CHARS;
  const text = Array.from(rendered.text.trim()).slice(0, most).join('');
  if (file) return { message: { text: text === '' ? null : text, ...file } };
  return { message: text === '' ? null : { ...NO_FILE, text } };
}

/** The template as it would be sent, judged by what the network has approved. */
function preparedTemplate(
  written: NonNullable<Send['template']>,
  { template, headerFile, contact }: FlowContext,
  location: { readonly at: string; readonly scope: TemplateScope },
): FallbackTemplate | Undone | Failed {
  const { at } = location;
  if (written.header?.file !== undefined && !headerFile) {
    const message = 'O arquivo não está mais na biblioteca.';
    return refused('template_refused', { path: `${at}.header.file`, message });
  }
  const given = templateValues(written, location);
  if ('failed' in given) return given;
  if ('issues' in given) return { reason: 'template_refused', ...given };
  const attached = headerFile?.kind ?? null;
  const found = template ?? { found: false, languages: [] };
  const checked = checkTemplate(found, { values: given.values, attached });
  if ('issues' in checked) {
    const issues = checked.issues.map((issue) => ({ ...issue, path: `${at}.${issue.path}` }));
    return { reason: 'template_refused', issues };
  }
  if (checked.message.marketing && contact.noMarketing) {
    const message = FAILURES.marketing_opt_out.sentence;
    return refused('template_refused', { path: at, message });
  }
  return { template: checked.message, text: checked.text, ...(headerFile ?? NO_FILE) };
}
