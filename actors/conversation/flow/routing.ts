import { type OutboxCommand, outboxCommand } from '../../../shared/wire/outbox.ts';
import type { Accepted, Appended } from '../../domain/conversation/conversation.ts';
import { isOptOutWord } from '../../domain/conversation/network-message.ts';
import { withRun } from '../../domain/flow/arrival.ts';
import type { TriggeringMessage } from '../../domain/flow/conditions.ts';
import type { OrganizationFacts } from '../../domain/flow/context.ts';
import { applyAnswer } from '../../domain/flow/decide.ts';
import { isPaused } from '../../domain/flow-run.ts';
import type { Environment } from '../../environment.ts';
import type { RouteMessage } from '../../model/flow.ts';
import type { FlowVersions } from '../../organization/flow-versions.ts';

interface AnsweringConversation {
  readonly parts: {
    readonly environment: Pick<Environment, 'clock'>;
    readonly flows: {
      readonly versions: FlowVersions;
      readonly facts: { organization(orgId: string): Promise<OrganizationFacts> };
    };
  };
}

/** The message's entry, with its effect on the run (`domain/flow/decide.ts`, rule 2). */
export async function withFlow(
  { parts }: AnsweringConversation,
  messageId: string,
  accepted: Accepted,
): Promise<Accepted> {
  const { state, message } = accepted;
  if (isOptOutWord(message.text)) {
    return state.run ? { ...accepted, state: withRun(state, null) } : accepted;
  }
  // A reaction is not an answer, and none that is taken back begins anything.
  if (message.kind === 'reaction' && (state.run || !message.text)) return accepted;
  const now = parts.environment.clock.now();
  const { run } = state;
  if (!run) {
    if (isPaused(state, now)) return accepted;
    return { ...accepted, outbox: [...accepted.outbox, routeMessage(messageId, accepted)] };
  }
  const { versions, facts } = parts.flows;
  const [version, org] = await Promise.all([
    versions.find(run.versionId),
    facts.organization(state.orgId),
  ]);
  if (!version) return accepted;
  const answering = {
    step: version.steps.get(run.stepId),
    text: message.text ?? `[${message.kind}]`,
    chosen: chosenIn(message),
    arrival: { now, org, steps: version.steps },
  };
  return { ...accepted, state: applyAnswer(state, answering) };
}

/** The entry of an opened chat: its main flow starts unless the conversation has its own course. */
export function withWelcomeFlow(entryId: string, appended: Appended, now: number): Appended {
  const { state } = appended;
  if (state.run || isPaused(state, now)) return appended;
  const command: RouteMessage = {
    ...routeOf(entryId, state),
    first: state.received === 0,
    text: null,
    onlyMain: true,
  };
  const outbox = [...appended.outbox, outboxTo(state, command)];
  return { ...appended, outbox };
}

function routeMessage(messageId: string, { state, message }: Accepted): OutboxCommand {
  const first = state.received === 1;
  return outboxTo(state, { ...routeOf(messageId, state), first, ...routed(message) });
}

/** What a route names of the conversation; `messageId` is the entry that may start a flow. */
function routeOf(messageId: string, { id, channelId, contact }: Accepted['state']) {
  return {
    id: `${messageId}-flow`,
    type: 'flow-route-message',
    messageId,
    conversationId: id,
    channelId,
    contactId: contact.id,
    phone: contact.phone,
  } as const;
}

function outboxTo({ orgId }: Accepted['state'], command: RouteMessage): OutboxCommand {
  return outboxCommand({ to: { kind: 'organization', key: orgId }, command });
}

/** Id of the button or row that was pressed. */
function chosenIn({ content }: Accepted['message']): string | undefined {
  return content?.type === 'answer' ? content.answer.id : undefined;
}

/** The message as the triggers read it. */
function routed(message: Accepted['message']): Omit<TriggeringMessage, 'channelId' | 'first'> {
  const { kind, text } = message;
  if (kind === 'reaction') return { text: null, reaction: text ?? '' };
  const chosen = chosenIn(message);
  return {
    text,
    ...(chosen === undefined ? {} : { chosen }),
    ...(kind === 'location' ? { isLocation: true } : {}),
  };
}
