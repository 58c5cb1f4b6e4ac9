/**
 * One network webhook: verified on the raw bytes, every entry turned into a command, answered 200
 * only when all of them are committed (design: Networks). Entries of one conversation keep their
 * order; conversations go side by side.
 */
import type { NetworkChallenge, NetworkWebhook } from '../../shared/commands.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import { contactId, conversationId } from '../../shared/keys.ts';
import type { NetworkEvent } from '../../shared/network.ts';
import { canonicalPhone } from '../../shared/phone.ts';
import type { Answer, Command } from '../../shared/ports.ts';
import { MESSAGE_KINDS } from '../../shared/vocabulary.ts';
import type { NetworkMessageCommand, ReceiptCommand } from '../conversation/commands.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { TurnContext } from '../runtime/actor.ts';
import type { ChannelConfiguration } from './configuration.ts';
import type { Desk } from './desk.ts';

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
  return { status: 200, body: challenge, headers: { 'content-type': 'text/plain' } };
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
  const lanes = new Map<string, Command[]>();
  for (const event of parsed.events) {
    if (event.type === 'readiness') {
      desk.learn(event.readiness);
      await desk.report(event.readiness);
      continue;
    }
    const target = await conversationOf(desk, configuration, event);
    if (target === null) continue;
    const command = toCommand(desk, configuration, event);
    const lane = lanes.get(target);
    if (lane) lane.push(command);
    else lanes.set(target, [command]);
  }
  const taken = await Promise.all(
    [...lanes].map(([key, commands]) => askInOrder(desk, key, { commands, context })),
  );
  return taken.every(Boolean) ? TAKEN : renderFailure(failure('fault'));
}

/** The contact's identity: canonical phone, or the network's opaque id where it shows no phone. */
function identityOf(configuration: ChannelConfiguration, phone: string, networkId: string): string {
  return phoneOf(configuration, phone) || `~${networkId}`;
}

function phoneOf({ country }: ChannelConfiguration, phone: string): string {
  return phone === '' ? '' : (canonicalPhone(`+${phone}`, country) ?? phone);
}

type ChatEvent = Exclude<NetworkEvent, { type: 'readiness' }>;

/** Null for a status of a message that nobody here has sent. */
async function conversationOf(
  desk: Desk,
  configuration: ChannelConfiguration,
  event: ChatEvent,
): Promise<string | null> {
  const { ids, store } = desk.world;
  if (event.type === 'receipt') {
    const name = event.messageId ?? event.externalId;
    const known = desk.sent.conversationOf(name) ?? desk.sent.conversationOf(event.externalId);
    if (known !== undefined) return known;
    if (event.messageId !== undefined) {
      const entry = await store.findOne<EntryDocument>(
        'entries',
        { _id: event.messageId, channelId: desk.channelId },
        { project: { conversationId: 1 } },
      );
      return entry?.conversationId ?? null;
    }
    if (event.networkId === undefined) return null;
    const identity = identityOf(configuration, digitsOf(event.networkId), event.networkId);
    return conversationId(ids, desk.channelId, contactId(ids, configuration.orgId, identity));
  }
  const identity = identityOf(configuration, event.phone, event.networkId);
  return conversationId(ids, desk.channelId, contactId(ids, configuration.orgId, identity));
}

function digitsOf(networkId: string): string {
  return /^\d+$/.test(networkId) ? networkId : '';
}

function toCommand(desk: Desk, configuration: ChannelConfiguration, event: ChatEvent): Command {
  const { ids } = desk.world;
  if (event.type === 'receipt') {
    const { externalId, messageId, status, at, error, networkId } = event;
    const command: ReceiptCommand = {
      id: ids.fresh('cmd'),
      type: 'receipt',
      messageId: messageId ?? null,
      receipt: { status, at, externalId, ...(error ? { error } : {}) },
      networkId: networkId ?? null,
      earlyPossible: false,
    };
    return command;
  }
  const phone = phoneOf(configuration, event.phone);
  const identity = identityOf(configuration, event.phone, event.networkId);
  const command: NetworkMessageCommand = {
    id: ids.fresh('cmd'),
    type: event.type === 'echo' ? 'echo' : 'inbound',
    orgId: configuration.orgId,
    channelId: desk.channelId,
    contactId: contactId(ids, configuration.orgId, identity),
    phone,
    networkId: event.networkId,
    profileName: event.type === 'message' ? (event.profileName ?? null) : null,
    externalId: event.externalId,
    replyToExternalId: event.type === 'message' ? (event.replyToExternalId ?? null) : null,
    kind: MESSAGE_KINDS.find((kind) => kind === event.kind) ?? 'unsupported',
    text: event.text,
    at: event.at,
    channelLabel: configuration.entry.label,
  };
  return command;
}

async function askInOrder(
  desk: Desk,
  key: string,
  { commands, context }: { commands: readonly Command[]; context: TurnContext },
): Promise<boolean> {
  for (const command of commands) {
    const answer = await desk.world.bus.ask({ kind: 'conversation', key }, command, {
      deadline: context.deadline,
      ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
    });
    if (answer.status >= 500) return false;
  }
  return true;
}
