/**
 * Receiver of network webhooks: verifies the raw bytes and turns every entry into a command. It
 * answers 200 only when all commands are committed (I31). Entries of one conversation keep their
 * order; conversations run concurrently.
 */

import { failure, renderFailure } from '../../shared/failures.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { NetworkEvent } from '../../shared/ports/network.ts';
import type { NetworkChallenge, NetworkWebhook } from '../../shared/wire/commands.ts';
import type { TurnContext } from '../runtime/actor.ts';
import type { ChannelSender } from './channel-sender.ts';
import type { ChannelConfiguration } from './configuration.ts';
import { notePassed, noteRefused } from './refused-webhooks.ts';
import { type RoutedEvent, routeEvent } from './route-event.ts';
import { type SubmissionContext, submitEvent } from './submit-event.ts';

const RECEIVED: Answer = { status: 200, body: '{"data":{"received":true}}' };

export async function answerChallenge(
  sender: ChannelSender,
  command: NetworkChallenge,
): Promise<Answer> {
  const configuration = await sender.configuration();
  if (configuration?.entry.provider !== command.provider) {
    return renderFailure(failure('channel_not_found'));
  }
  const { network } = configuration;
  const driver = sender.environment.networks.driver(network.provider);
  const challenge = driver.challenge(network, command.query);
  if (challenge === null) {
    noteRefused(sender, { ref: configuration.entry.ref, setting: 'verifyToken' });
    return renderFailure(failure('bad_verify_token'));
  }
  return { status: 200, body: challenge, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

export async function receiveWebhook(
  sender: ChannelSender,
  command: NetworkWebhook,
  context: TurnContext,
): Promise<Answer> {
  const configuration = await sender.configuration();
  if (configuration?.entry.provider !== command.provider) {
    return renderFailure(failure('channel_not_found'));
  }
  const { network } = configuration;
  const parsed = sender.environment.networks.driver(network.provider).parseWebhook(network, {
    headers: command.headers,
    rawBody: Buffer.from(command.rawBody, 'base64'),
  });
  if (!parsed.verified) {
    const setting = network.provider === 'cloud' ? 'appSecret' : 'webhookSecret';
    noteRefused(sender, { ref: configuration.entry.ref, setting });
    return renderFailure(failure('bad_signature'));
  }
  notePassed(sender);
  if ('malformed' in parsed) return renderFailure(failure('bad_json'));
  const { skipped = 0, foreign = 0 } = parsed;
  if (skipped + foreign > 0) {
    sender.environment.log.info(
      { channelId: sender.channelId, skipped, foreign },
      'webhook events skipped',
    );
  }
  const { deadline, requestId } = context;
  const { events } = parsed;
  if (!(await submitEvents(sender, configuration, { events, deadline, requestId }))) {
    return renderFailure(failure('fault'));
  }
  if (events.some(({ type }) => type !== 'readiness')) sender.onEventsCommitted();
  return RECEIVED;
}

interface EventBatch {
  readonly events: readonly NetworkEvent[];
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** Epoch milliseconds; an earlier message of a contact begins no flow. */
  readonly flowsSince?: number;
}

/** True when all events are committed; false when the network has to repeat them. */
export async function submitEvents(
  sender: ChannelSender,
  configuration: ChannelConfiguration,
  batch: EventBatch,
): Promise<boolean> {
  const { events, flowsSince = Number.NEGATIVE_INFINITY } = batch;
  const queues = new Map<string, RoutedEvent[]>();
  for (const event of events) {
    if (event.type === 'readiness') {
      sender.readiness.learn(event.readiness);
      await sender.readiness.report();
      continue;
    }
    if (event.type === 'restriction') {
      await sender.learnRestriction(event.restriction);
      continue;
    }
    const found = await routeEvent(sender, configuration, event);
    if (found === 'ask again') return false;
    if (found === null) continue;
    const late = event.type === 'message' && event.at < flowsSince;
    const routed = late ? asLate(found) : found;
    const queue = queues.get(routed.conversationId);
    if (queue) queue.push(routed);
    else queues.set(routed.conversationId, [routed]);
  }
  const driver = sender.environment.networks.driver(configuration.network.provider);
  const hasLookup = driver.findSent !== undefined;
  const submission = { sender, hasLookup, ask: askUnder(sender, batch) };
  const submitted = await Promise.all(
    [...queues.values()].map((queue) => submitInOrder(submission, queue)),
  );
  if (events.some((event) => 'media' in event)) sender.onMediaDue();
  return submitted.every(Boolean);
}

function asLate(routed: RoutedEvent): RoutedEvent {
  if (!('event' in routed) || routed.event !== 'message') return routed;
  return { ...routed, command: { ...routed.command, late: true } };
}

function askUnder(
  sender: ChannelSender,
  { deadline, requestId }: EventBatch,
): SubmissionContext['ask'] {
  const options = { deadline, ...(requestId === undefined ? {} : { requestId }) };
  return async (key, command) => {
    const address = { kind: 'conversation', key } as const;
    const answer = await sender.environment.bus.ask(address, command, options);
    if (answer.status >= 500) return false;
    if (command.type === 'inbound') sender.contactWrote(key);
    return true;
  };
}

async function submitInOrder(
  submission: SubmissionContext,
  queue: readonly RoutedEvent[],
): Promise<boolean> {
  for (const routed of queue) if (!(await submitEvent(submission, routed))) return false;
  return true;
}
