/** A contact's message in a flow: it answers the waiting run, or may start a flow. */
import type { OutboxCommand } from '../../shared/wire/outbox.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Accepted } from '../domain/conversation.ts';
import { withRun } from '../domain/flow/arrive.ts';
import { applyAnswer } from '../domain/flow/decide.ts';
import { isPaused } from '../domain/flow/run.ts';
import { isOptOutWord } from '../domain/opt-out-words.ts';
import type { RouteMessage } from './commands.ts';

/** The message's entry, with its effect on the run (`domain/flow/decide.ts`, rule 2). */
export async function withFlow(
  { parts }: Conversation,
  messageId: string,
  accepted: Accepted,
): Promise<Accepted> {
  const { state, message } = accepted;
  if (isOptOutWord(message.text)) {
    return state.run ? { ...accepted, state: withRun(state, null) } : accepted;
  }
  // A reaction is not an answer.
  if (message.kind === 'reaction') return accepted;
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
    arrival: { now, org, steps: version.steps },
  };
  return { ...accepted, state: applyAnswer(state, answering) };
}

function routeMessage(messageId: string, { state, message }: Accepted): OutboxCommand {
  const command: RouteMessage = {
    id: `${messageId}-flow`,
    type: 'flow-route-message',
    messageId,
    conversationId: state.id,
    channelId: state.channelId,
    contactId: state.contact.id,
    phone: state.contact.phone,
    text: message.text,
    first: state.received === 1,
  };
  const to = { kind: 'organization', key: state.orgId } as const;
  return { type: 'command', id: command.id, to, command };
}
