/**
 * One network webhook: verified on the raw bytes, every entry turned into a command, answered 200
 * only when all of them are committed (I31). Entries of one conversation keep their
 * order; conversations go side by side.
 */
import type { NetworkChallenge, NetworkWebhook } from '../../shared/commands.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import type { NetworkEvent } from '../../shared/network.ts';
import type { Answer } from '../../shared/ports.ts';
import type { TurnContext } from '../runtime/actor.ts';
import { type Bringing, bring } from './bring.ts';
import type { ChannelConfiguration } from './configuration.ts';
import type { Desk } from './desk.ts';
import { type Placed, place } from './placement.ts';
import { notePassed, noteRefused } from './refused-webhooks.ts';

const TAKEN: Answer = { status: 200, body: '{"data":{"received":true}}' };

export async function answerChallenge(desk: Desk, command: NetworkChallenge): Promise<Answer> {
  const configuration = await desk.configuration();
  if (configuration?.entry.provider !== command.provider) {
    return renderFailure(failure('channel_not_found'));
  }
  const { network } = configuration;
  const driver = desk.world.networks.driver(network.provider);
  const challenge = driver.challenge(network, command.query);
  if (challenge === null) {
    noteRefused(desk, { ref: configuration.entry.ref, setting: 'verifyToken' });
    return renderFailure(failure('bad_verify_token'));
  }
  return { status: 200, body: challenge, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

export async function receiveWebhook(
  desk: Desk,
  command: NetworkWebhook,
  context: TurnContext,
): Promise<Answer> {
  const configuration = await desk.configuration();
  if (configuration?.entry.provider !== command.provider) {
    return renderFailure(failure('channel_not_found'));
  }
  const { network } = configuration;
  const parsed = desk.world.networks.driver(network.provider).parseWebhook(network, {
    headers: command.headers,
    rawBody: Buffer.from(command.rawBody, 'base64'),
  });
  if (!parsed.verified) {
    const setting = network.provider === 'cloud' ? 'appSecret' : 'webhookSecret';
    noteRefused(desk, { ref: configuration.entry.ref, setting });
    return renderFailure(failure('bad_signature'));
  }
  notePassed(desk);
  if ('malformed' in parsed) return renderFailure(failure('bad_json'));
  const { skipped = 0, foreign = 0 } = parsed;
  if (skipped + foreign > 0) {
    desk.world.log.info({ channelId: desk.channelId, skipped, foreign }, 'webhook not all taken');
  }
  const { deadline, requestId } = context;
  const { events } = parsed;
  if (!(await takeEvents(desk, configuration, { events, deadline, requestId }))) {
    return renderFailure(failure('fault'));
  }
  if (events.some(({ type }) => type !== 'readiness')) desk.onTaken();
  return TAKEN;
}

interface Told {
  readonly events: readonly NetworkEvent[];
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** A contact's message from before begins no flow. */
  readonly flowsSince?: number;
}

/** True when all of them are committed; false when the network has to tell them again. */
export async function takeEvents(
  desk: Desk,
  configuration: ChannelConfiguration,
  told: Told,
): Promise<boolean> {
  const { events, flowsSince = Number.NEGATIVE_INFINITY } = told;
  const lanes = new Map<string, Placed[]>();
  for (const event of events) {
    if (event.type === 'readiness') {
      desk.readiness.learn(event.readiness);
      await desk.readiness.report();
      continue;
    }
    if (event.type === 'restriction') {
      await desk.learnRestriction(event.restriction);
      continue;
    }
    const found = await place(desk, configuration, event);
    if (found === 'ask again') return false;
    if (found === null) continue;
    const late = event.type === 'message' && event.at < flowsSince;
    const placed = late ? asLate(found) : found;
    const lane = lanes.get(placed.conversationId);
    if (lane) lane.push(placed);
    else lanes.set(placed.conversationId, [placed]);
  }
  const driver = desk.world.networks.driver(configuration.network.provider);
  const looksUp = driver.findSent !== undefined;
  const to = { desk, looksUp, ask: askUnder(desk, told) };
  const taken = await Promise.all([...lanes.values()].map((lane) => bringInOrder(to, lane)));
  if (events.some((event) => 'media' in event)) desk.onMedia();
  return taken.every(Boolean);
}

function asLate(placed: Placed): Placed {
  if (!('event' in placed) || placed.event !== 'message') return placed;
  return { ...placed, command: { ...placed.command, late: true } };
}

function askUnder(desk: Desk, { deadline, requestId }: Told): Bringing['ask'] {
  const options = { deadline, ...(requestId === undefined ? {} : { requestId }) };
  return async (key, command) => {
    const address = { kind: 'conversation', key } as const;
    const answer = await desk.world.bus.ask(address, command, options);
    if (answer.status >= 500) return false;
    if (command.type === 'inbound') desk.contactWrote(key);
    return true;
  };
}

async function bringInOrder(to: Bringing, lane: readonly Placed[]): Promise<boolean> {
  for (const placed of lane) if (!(await bring(to, placed))) return false;
  return true;
}
