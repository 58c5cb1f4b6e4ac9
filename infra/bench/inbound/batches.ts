/**
 * Webhooks of one round, built and signed by the simulator's own code. Each sent message is
 * delivered and read, and contacts write as many messages.
 */

import { bareId, chatId, freshMessageId } from '../../programs/simulator/bridge/ids.ts';
import { BridgePeople } from '../../programs/simulator/bridge/people.ts';
import { BridgeSession } from '../../programs/simulator/bridge/sessions.ts';
import type { RenderContext } from '../../programs/simulator/bridge/views.ts';
import type { SimulatedChannel } from '../../programs/simulator/network/channels.ts';
import { freshHex } from '../../programs/simulator/state/simulator-state.ts';
import {
  bridgeAck,
  bridgeMessage,
  bridgePost,
} from '../../programs/simulator/webhooks/bridge-events.ts';
import {
  cloudInbound,
  cloudPost,
  cloudStatus,
} from '../../programs/simulator/webhooks/cloud-events.ts';
import type { WebhookEntry, WebhookPost } from '../../programs/simulator/webhooks/entry.ts';
import { BRIDGE_PHONE, WEBHOOK_SECRET } from '../organization.ts';

export interface Sent {
  readonly messageId: string;
  readonly externalId: string;
  /** Bare digits. */
  readonly to: string;
}

export interface Network {
  readonly provider: 'cloud' | 'web';
  readonly channelId: string;
  /** The number's or the session's, as the network calls it. */
  readonly name: Readonly<Record<string, string>>;
  /** Updates in one POST; the bridge puts one in each. */
  readonly perPost: number;
}

export interface Batches {
  readonly posts: readonly WebhookPost[];
  readonly statuses: number;
  readonly messages: number;
}

export function batchesOf(network: Network, sent: readonly Sent[]): Batches {
  const { provider, channelId, name, perPost } = network;
  const channel: SimulatedChannel = {
    channelId,
    provider,
    webhookUrl: `http://127.0.0.1/networks/${provider}/${channelId}`,
    network: { ...name, appSecret: WEBHOOK_SECRET, webhookSecret: WEBHOOK_SECRET },
  };
  const statuses = (['delivered', 'read'] as const).flatMap((step) =>
    sent.map((each) => statusOf(network, each, step)),
  );
  const messages = [...sent, ...sent].map(({ to }) => inboundOf(network, to));
  const build = provider === 'cloud' ? cloudPost : bridgePost;
  const reported = inPosts(statuses, perPost).map((batch) => build(channel, batch));
  const written = inPosts(messages, perPost).map((batch) => build(channel, batch));
  return {
    posts: reported.flatMap((post, at) => [post, ...written.slice(at, at + 1)]),
    statuses: statuses.length,
    messages: messages.length,
  };
}

function statusOf(
  { provider, name }: Network,
  { messageId, externalId, to }: Sent,
  step: 'delivered' | 'read',
): WebhookEntry {
  if (provider === 'cloud') {
    const sending = { provider, externalId, to, callbackData: messageId };
    return cloudStatus({ ...sending, channelIds: [], duplicate: false }, step, Date.now());
  }
  const at = Date.now();
  const sent = { id: bareId(externalId), fromMe: true, chat: chatId(to), at, text: '', ack: 1 };
  const entry = bridgeAck(renderContextOf(name), sent, { step });
  if (entry === null) throw new Error(`the bridge tells nothing of ${step}`);
  return entry;
}

function inboundOf({ provider, name }: Network, from: string): WebhookEntry {
  const text = `Resposta ${freshHex()}`;
  const profile = `Contato ${from}`;
  if (provider === 'cloud') {
    const inbound = { from, text, name: profile, echo: false };
    return cloudInbound(inbound, `wamid.${freshHex()}`, Date.now());
  }
  const at = Date.now();
  const said = { id: freshMessageId(), fromMe: false, chat: chatId(from), at, text, ack: 2 };
  return bridgeMessage(renderContextOf(name), { ...said, name: profile });
}

function renderContextOf(name: Network['name']): RenderContext {
  const session = new BridgeSession(name.session ?? '', () => BRIDGE_PHONE);
  return { session, people: new BridgePeople(), now: Date.now() };
}

function inPosts(entries: readonly WebhookEntry[], perPost: number): WebhookEntry[][] {
  const count = Math.ceil(entries.length / perPost);
  return Array.from({ length: count }, (_, at) => entries.slice(at * perPost, (at + 1) * perPost));
}
