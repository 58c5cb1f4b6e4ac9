/**
 * One network webhook: verified on the raw bytes, every entry turned into a command, answered 200
 * only when all of them are committed (design: Networks). Entries of one conversation keep their
 * order; conversations go side by side.
 */
import type { NetworkChallenge, NetworkWebhook } from '../../shared/commands.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import type { Answer } from '../../shared/ports.ts';
import type { TurnContext } from '../runtime/actor.ts';
import type { Desk } from './desk.ts';
import { type Placed, place } from './placement.ts';

const TAKEN: Answer = { status: 200, body: '{"data":{"received":true}}' };

export async function answerChallenge(desk: Desk, command: NetworkChallenge): Promise<Answer> {
  const configuration = await desk.configuration();
  if (configuration?.entry.provider !== command.provider) {
    return renderFailure(failure('channel_not_found'));
  }
  const { network } = configuration;
  const driver = desk.world.networks.driver(network.provider);
  const challenge = driver.challenge(network, command.query);
  if (challenge === null) return renderFailure(failure('bad_verify_token'));
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
  if (!parsed.verified) return renderFailure(failure('bad_signature'));
  if ('malformed' in parsed) return renderFailure(failure('bad_json'));
  const { skipped = 0, foreign = 0 } = parsed;
  if (skipped + foreign > 0) {
    desk.world.log.info({ channelId: desk.channelId, skipped, foreign }, 'webhook not all taken');
  }
  const lanes = new Map<string, Placed[]>();
  for (const event of parsed.events) {
    if (event.type === 'readiness') {
      desk.readiness.learn(event.readiness);
      await desk.readiness.report(event.readiness);
      continue;
    }
    const placed = await place(desk, configuration, event);
    if (placed === 'ask again') return renderFailure(failure('fault'));
    if (placed === null) continue;
    const lane = lanes.get(placed.conversationId);
    if (lane) lane.push(placed);
    else lanes.set(placed.conversationId, [placed]);
  }
  const taken = await Promise.all(
    [...lanes].map(([key, lane]) => askInOrder(desk, key, { lane, context })),
  );
  if (parsed.events.some((event) => 'media' in event)) desk.onMedia();
  return taken.every(Boolean) ? TAKEN : renderFailure(failure('fault'));
}

async function askInOrder(
  desk: Desk,
  key: string,
  { lane, context }: { readonly lane: readonly Placed[]; readonly context: TurnContext },
): Promise<boolean> {
  for (const { command, echoOf } of lane) {
    // An echo may be of what is being sent just now: its network id is about to be known.
    if (echoOf !== undefined) await desk.handing.ended(key);
    const answer = await desk.world.bus.ask({ kind: 'conversation', key }, command, {
      deadline: context.deadline,
      ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
    });
    if (answer.status >= 500) return false;
    if (echoOf !== undefined) await desk.early.apply(echoOf);
  }
  return true;
}
