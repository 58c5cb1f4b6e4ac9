/**
 * Receiver of network webhooks: verifies the raw bytes and turns every entry into a command. It
 * answers 200 only when all commands are committed (I31).
 *
 * 1. Entries of one conversation keep their order; conversations run concurrently.
 * 2. The log and `recado doctor` show webhooks that failed verification since the last one that
 *    passed, per channel of this process. A webhook's address is public, so a refusal expires.
 * 3. Events under one network name (direction and canonical id) run one at a time. A message may
 *    arrive under two chat forms concurrently. It is on record under the first before the second is
 *    examined.
 * 4. An echo of a message that we sent, or are sending, is its receipt. The message is found by its
 *    id. Where the network accepts no id of ours, the content of a message in doubt identifies it.
 * 5. A change applies to the message on record; a contact changes only messages of its own
 *    conversation. A change that precedes its message is kept.
 * 6. What another number's session reports is answered 200 and counted, and nothing of it is
 *    stored. So is what names no number while another one is connected: the bridge has it still,
 *    and it is read back when the number is right.
 */
import { failure, renderFailure } from '../../../shared/failures.ts';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { Answer, CommandOf } from '../../../shared/ports/bus.ts';
import type { WebhookOutcome } from '../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../shared/ports/network-event.ts';
import type { NetworkChallenge, NetworkWebhook } from '../../../shared/wire/commands.ts';
import { isReactionTakenBack } from '../../domain/conversation/conversation.ts';
import { namesOf } from '../../domain/conversation/network-message.ts';
import type { RefusedWebhooks, TurnContext } from '../../runtime/kind.ts';
import type { ChannelConfiguration } from '../readiness/configuration.ts';
import { logsBeside } from './chat-logs.ts';
import { findEchoed } from './echoed-send.ts';
import { markLate } from './late-messages.ts';
import { findMessage, type NamedMessage } from './named-message.ts';
import type { ReceivingChannel } from './receiving-channel.ts';
import {
  type PersonEvent,
  type RoutedChange,
  type RoutedEvent,
  type RoutedMessage,
  receiptCommand,
  routeNumberChange,
} from './route-event.ts';
import { routePeople } from './route-people.ts';

const RECEIVED: Answer = { status: 200, body: '{"data":{"received":true}}' };
/** One log line covers all refusals within this time. */
const LOG_EVERY_MS = 10_000;
const REFUSAL_RETENTION_MS = 600_000;

const refused = new WeakMap<ReceivingChannel, RefusedWebhooks & { readonly loggedAt: number }>();

export async function answerChallenge(
  channel: ReceivingChannel,
  command: NetworkChallenge,
): Promise<Answer> {
  const configuration = await channel.configuration();
  if (configuration?.entry.provider !== command.provider) {
    return renderFailure(failure('channel_not_found'));
  }
  const { network } = configuration;
  const driver = channel.environment.networks.driver(network.provider);
  const challenge = driver.challenge(network, command.query);
  if (challenge === null) {
    noteRefused(channel, { ref: configuration.entry.ref, setting: 'verifyToken' });
    return renderFailure(failure('bad_verify_token'));
  }
  return { status: 200, body: challenge, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

export async function receiveWebhook(
  channel: ReceivingChannel,
  command: NetworkWebhook,
  context: TurnContext,
): Promise<Answer> {
  const configuration = await channel.configuration();
  if (configuration?.entry.provider !== command.provider) {
    return renderFailure(failure('channel_not_found'));
  }
  const { network } = configuration;
  const parsed = channel.environment.networks.driver(network.provider).parseWebhook(network, {
    headers: command.headers,
    rawBody: Buffer.from(command.rawBody, 'base64'),
  });
  if (!parsed.verified) {
    const setting = network.provider === 'cloud' ? 'appSecret' : 'webhookSecret';
    noteRefused(channel, { ref: configuration.entry.ref, setting });
    return renderFailure(failure('bad_signature'));
  }
  if ('malformed' in parsed) {
    refused.delete(channel);
    return renderFailure(failure('bad_json'));
  }
  const events = eventsOfNumber(channel, configuration, parsed);
  const { skipped = 0, foreign = 0, reportedAt } = parsed;
  if (skipped + foreign > 0) {
    const fields = { channelId: channel.channelId, skipped, foreign };
    channel.environment.log.info(fields, 'webhook events skipped');
  }
  const { deadline, requestId } = context;
  if (!(await submitEvents(channel, configuration, { events, deadline, requestId, reportedAt }))) {
    return renderFailure(failure('fault'));
  }
  if (events.some(({ type }) => type !== 'readiness')) channel.onEventsCommitted();
  return RECEIVED;
}

type Verified = Extract<WebhookOutcome, { readonly events: readonly NetworkEvent[] }>;

/** The events that are the channel's, by the number that the webhook names or is known to be of. */
function eventsOfNumber(
  channel: ReceivingChannel,
  { entry: { ref } }: ChannelConfiguration,
  { events, ownNumber, otherNumber }: Verified,
): readonly NetworkEvent[] {
  if (otherNumber !== undefined) channel.learnOtherNumber(otherNumber);
  const isForeign = otherNumber !== undefined || (channel.isOtherNumber() && !ownNumber);
  if (!isForeign) {
    refused.delete(channel);
    return events;
  }
  const kept = events.filter(({ type }) => type === 'readiness');
  if (otherNumber !== undefined || kept.length < events.length) {
    noteRefused(channel, { ref, setting: 'phone' });
  }
  return kept;
}

export interface EventBatch {
  readonly events: readonly NetworkEvent[];
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** When the network made its report, by its own clock, epoch milliseconds. */
  readonly reportedAt?: number | undefined;
}

/** True when all events are committed; false when the network has to repeat them. */
export async function submitEvents(
  channel: ReceivingChannel,
  configuration: ChannelConfiguration,
  batch: EventBatch,
): Promise<boolean> {
  const { events, reportedAt } = batch;
  const routed: RoutedEvent[] = [];
  let ofPeople: PersonEvent[] = [];
  const flush = async (): Promise<boolean> => {
    const found = await routePeople(channel, configuration, ofPeople);
    for (const [at, event] of ofPeople.entries()) {
      const each = found[at];
      const told = { configuration, reportedAt };
      if (each) routed.push(markLate(channel, told, { event, routed: each }));
    }
    ofPeople = [];
    return found.every((each) => each !== undefined);
  };
  for (const event of events) {
    if (isOfOnePerson(event)) {
      ofPeople.push(event);
      continue;
    }
    // It concerns what comes before and after it.
    if (!(await flush()) || !(await takeForAll(channel, configuration, event))) return false;
  }
  if (!(await flush())) return false;
  const driver = channel.environment.networks.driver(configuration.network.provider);
  const hasLookup = driver.findSent !== undefined;
  const context = { channel, hasLookup, ask: askUnder(channel, batch) };
  const queues = [...Map.groupBy(routed, ({ conversationId }) => conversationId).values()];
  const submitted = await Promise.all(queues.map((queue) => submitInOrder(context, queue)));
  if (events.some((event) => 'media' in event)) channel.onMediaDue();
  return submitted.every(Boolean);
}

type EventForAll = Exclude<NetworkEvent, PersonEvent>;

function isOfOnePerson(event: NetworkEvent): event is PersonEvent {
  const { type } = event;
  return !(
    type === 'readiness' ||
    type === 'templates-changed' ||
    type === 'restriction' ||
    type === 'number-change'
  );
}

/** False: the network must repeat it. */
async function takeForAll(
  channel: ReceivingChannel,
  configuration: ChannelConfiguration,
  event: EventForAll,
): Promise<boolean> {
  switch (event.type) {
    case 'readiness':
      await channel.learnReadiness(event.readiness);
      return true;
    case 'templates-changed':
      await channel.onTemplatesChanged();
      return true;
    case 'restriction':
      await channel.learnRestriction(event.restriction);
      return true;
    case 'number-change':
      return await routeNumberChange(channel, configuration, event);
    default:
      return event satisfies never;
  }
}

function askUnder(
  channel: ReceivingChannel,
  { deadline, requestId }: EventBatch,
): SubmissionContext['ask'] {
  const options = { deadline, ...(requestId === undefined ? {} : { requestId }) };
  return async (key, command) => {
    const address = { kind: 'conversation', key } as const;
    const answer = await channel.environment.bus.ask(address, command, options);
    if (answer.status >= 500) return false;
    if (command.type === 'inbound' && !isReactionTakenBack(command)) channel.contactWrote(key);
    return true;
  };
}

async function submitInOrder(context: SubmissionContext, queue: RoutedEvent[]): Promise<boolean> {
  for (const routed of queue) if (!(await submitEvent(context, routed))) return false;
  return true;
}

function noteRefused(
  channel: ReceivingChannel,
  { ref, setting }: Pick<RefusedWebhooks, 'ref' | 'setting'>,
): void {
  const { channelId, environment } = channel;
  const before = refused.get(channel) ?? { count: 0, loggedAt: Number.NEGATIVE_INFINITY };
  const at = environment.clock.now();
  const count = before.count + 1;
  const shouldLog = at - before.loggedAt >= LOG_EVERY_MS;
  const loggedAt = shouldLog ? at : before.loggedAt;
  refused.set(channel, { channelId, ref, setting, count, at, loggedAt });
  if (!shouldLog) return;
  const message = `${LOG_EVENT.webhookRefused}: ${setting} does not fit`;
  environment.log.warn({ channelId, setting, count }, message);
}

/** Null where the last webhook passed, or the last refusal has expired. */
export function refusedOf(channel: ReceivingChannel): RefusedWebhooks | null {
  const known = refused.get(channel);
  if (known === undefined || channel.environment.clock.now() - known.at > REFUSAL_RETENTION_MS)
    return null;
  const { loggedAt: _, ...shown } = known;
  return shown;
}

interface SubmissionContext {
  readonly channel: ReceivingChannel;
  /** The network has a look-up of sends, and may show a send of ours as typed. */
  readonly hasLookup: boolean;
  /** False when no owner accepted the command. */
  readonly ask: (conversationId: string, command: CommandOf<'conversation'>) => Promise<boolean>;
}

/** False: the network must repeat the event. */
function submitEvent(context: SubmissionContext, routed: RoutedEvent): Promise<boolean> {
  if (!('event' in routed)) return context.ask(routed.conversationId, routed.command);
  const { direction, externalId } = routed;
  return context.channel.mutex.runExclusive(`${direction}/${externalId}`, async () => {
    if (routed.event === 'change') return submitChange(context, routed);
    if (direction === 'out') return submitEcho(context, routed);
    if (!(await context.ask(routed.conversationId, routed.command))) return false;
    return submitUnmatchedChanges(context, routed);
  });
}

async function submitEcho(context: SubmissionContext, routed: RoutedMessage): Promise<boolean> {
  const { channel } = context;
  const { conversationId, command, messageId, externalId } = routed;
  const known = await findEchoed(channel, routed, context.hasLookup);
  if (known && known.isEcho !== true) {
    // The echo proves that the network has accepted our message.
    const receipt = { status: 'sent', at: command.at, ...namesOf(routed) } as const;
    return submitEvent(context, receiptCommand(channel, known, { receipt }));
  }
  if (!(await context.ask(conversationId, command))) return false;
  // It may be on record in another conversation: repeated, or forwarded.
  const recorded = known ?? (await findMessage(channel, routed)) ?? { conversationId, messageId };
  await channel.unmatched.apply({ ...recorded, externalId });
  return submitUnmatchedChanges(context, routed);
}

async function submitChange(context: SubmissionContext, routed: RoutedChange): Promise<boolean> {
  const { channel } = context;
  const { change, direction, conversationId } = routed;
  if (direction === 'out') await channel.whenIdle(conversationId);
  let message = await findMessage(channel, routed);
  if (!message) {
    await channel.unmatchedChanges.keep(unmatchedName(routed), change);
    // An earlier owner may have recorded the message meanwhile.
    message = await findMessage(channel, routed);
    if (!message) return true;
  }
  if (isAuthor(routed, message)) return askToChange(context, message, routed);
  channel.environment.log.warn(
    { channelId: channel.channelId },
    'change ignored: not by its author',
  );
  return true;
}

/** Our own phone may change every message of our number. */
function isAuthor(routed: RoutedChange, message: NamedMessage): boolean {
  const { direction, conversationId, personIds } = routed;
  if (direction === 'out' || message.conversationId === conversationId) return true;
  return message.networkId !== null && personIds.includes(message.networkId);
}

async function submitUnmatchedChanges(
  context: SubmissionContext,
  routed: RoutedMessage,
): Promise<boolean> {
  const { channel } = context;
  const name = unmatchedName(routed);
  const changes = await channel.unmatchedChanges.find(name);
  if (changes.length === 0) return true;
  const message = await findMessage(channel, routed);
  // A message of this name in another chat has another author.
  if (!message || !(await isOfChat(channel, routed, message))) return true;
  for (const change of changes) {
    if (!(await askToChange(context, message, { ...routed, change }))) return false;
  }
  await channel.unmatchedChanges.forget(name);
  return true;
}

async function isOfChat(
  channel: ReceivingChannel,
  routed: RoutedMessage,
  { conversationId }: NamedMessage,
): Promise<boolean> {
  if (conversationId === routed.conversationId) return true;
  return (await logsBeside(channel, routed)).includes(conversationId);
}

function askToChange(
  { channel, ask }: SubmissionContext,
  { messageId, conversationId }: NamedMessage,
  { direction, change }: Pick<RoutedChange, 'direction' | 'change'>,
): Promise<boolean> {
  const id = channel.environment.ids.fresh('cmd');
  const fromMe = direction === 'out';
  return ask(conversationId, { id, type: 'change-message', messageId, fromMe, change });
}

/** Document id of the changes that are kept until their message arrives. */
function unmatchedName(routed: RoutedMessage | RoutedChange): string {
  return `${routed.conversationId}/${routed.direction}/${routed.externalId}`;
}
