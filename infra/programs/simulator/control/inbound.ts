/** A contact writes, or a person on the connected phone: the network's webhooks of it. */

import { bareId, chatId, freshMessageId, isHidden, serializedId } from '../bridge/ids.ts';
import type { BridgeMessage } from '../bridge/message.ts';
import type { BridgeSession } from '../bridge/sessions.ts';
import { answerOf } from '../cloud/answers.ts';
import { mediaUrl } from '../cloud/graph/api.ts';
import { isUserId } from '../cloud/people.ts';
import { type Exchange, respondJson } from '../http/exchange.ts';
import type { SimulatedChannel } from '../network/channels.ts';
import {
  hasContent,
  type Inbound,
  type InboundFile,
  type InboundRequest,
  InboundSchema,
  type MediaKind,
} from '../network/inbound.ts';
import { extensionOf } from '../state/media-store.ts';
import { freshHex, type SimulatorState } from '../state/simulator-state.ts';
import { bridgeChange, bridgeMessage } from '../webhooks/bridge-events.ts';
import { cloudCall, cloudInbound } from '../webhooks/cloud-events.ts';
import type { WebhookEntry } from '../webhooks/entry.ts';
import { channelsOf, readInput, respondWhenAccepted } from './input.ts';

export async function inject(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(InboundSchema, exchange);
  if (input === null) return;
  const { response } = exchange;
  if (!hasContent(input)) {
    return respondJson(response, 400, { error: 'text or media is needed' });
  }
  const channels = await simulator.directory.find((set) => channelsOf(set, input));
  const [first] = channels ?? [];
  if (channels === undefined || first === undefined) {
    return respondJson(response, 404, { error: 'no such channel' });
  }
  const given = { input, channel: first };
  const result =
    first.provider === 'cloud'
      ? cloudInput(simulator, exchange, given)
      : bridgeInput(simulator, exchange, given);
  if ('problem' in result) return respondJson(response, 400, { error: result.problem });
  const { body, entries } = result;
  const answers = await Promise.all(
    channels.flatMap((channel) =>
      entries.map((entry) => simulator.webhookQueues.postInbound(channel, entry)),
    ),
  );
  respondWhenAccepted(exchange, answers, body);
}

interface InboundResult {
  readonly body: Readonly<Record<string, unknown>>;
  readonly entries: readonly WebhookEntry[];
}

interface Given {
  readonly input: InboundRequest;
  readonly channel: SimulatedChannel;
}

interface Unfit {
  readonly problem: string;
}

function bridgeInput(
  simulator: SimulatorState,
  exchange: Exchange,
  given: Given,
): InboundResult | Unfit {
  const { reply, call } = given.input;
  const isForeign = reply !== undefined || call !== undefined;
  if (isForeign) return { problem: 'reply and call are of cloud numbers alone' };
  return renderBridge(simulator, exchange, given);
}

function cloudInput(
  simulator: SimulatorState,
  exchange: Exchange,
  { input, channel }: Given,
): InboundResult | Unfit {
  const { reply, bookkeeping, wrapped } = input;
  const isForeign = bookkeeping !== undefined || wrapped !== undefined;
  if (isForeign) return { problem: 'bookkeeping and wrapped are of bridges alone' };
  if (reply === undefined) return renderCloud(simulator, exchange, { input, channel });
  const answer = answerOf(simulator.sent.find(reply.to), reply);
  if (answer === null) return { problem: `${reply.to} has no such button or row` };
  const answered = { ...input, ...answer, replyTo: reply.to };
  return renderCloud(simulator, exchange, { input: answered, channel });
}

function renderCloud(
  simulator: SimulatorState,
  exchange: Exchange,
  { input, channel }: Given,
): InboundResult {
  const { from, call, replyTo, times } = input;
  const id = call?.id ?? input.id ?? `${call === undefined ? 'wamid' : 'wacid'}.${freshHex()}`;
  if (input.userId !== undefined && !isUserId(from)) {
    simulator.cloudPeople.setUserId(from, input.userId);
  }
  const userId = isUserId(from) ? from : simulator.cloudPeople.userIdOf(from);
  const media = fileOf(simulator, input, {
    addressOf: (mediaId) => mediaUrl(originOf(exchange), mediaId),
  });
  const number = channel.network.phoneNumberId ?? '';
  const author =
    replyTo === undefined ? {} : { replyAuthor: simulator.received.authorOf(replyTo) ?? number };
  const fields = inboundFieldsOf(input);
  const inbound: Inbound = { ...fields, ...author, userId, ...(media && { media }) };
  noteReceived(simulator, { input, number, id, userId });
  const now = simulator.clock.now();
  const entry =
    call === undefined
      ? cloudInbound(inbound, id, now)
      : cloudCall({ id, event: call.event, number }, inbound, now);
  return { body: { id }, entries: Array.from({ length: times }, () => entry) };
}

interface Received {
  readonly input: InboundRequest;
  readonly number: string;
  readonly id: string;
  readonly userId: string;
}

/** A message or a call opens the window; what only changes or marks another message does not. */
function noteReceived(simulator: SimulatorState, { input, number, id, userId }: Received): void {
  const { from, echo, edits, deletes, reaction, system, call } = input;
  if (echo) return;
  if (call === undefined) simulator.received.add(id, from);
  const isOpening = [edits, deletes, reaction, system].every((each) => each === undefined);
  if (!isOpening || call?.event === 'terminate') return;
  const at = input.at ?? simulator.clock.now();
  for (const form of new Set([from, userId])) simulator.windows.extend(number, form, at);
}

function renderBridge(
  simulator: SimulatorState,
  exchange: Exchange,
  { input, channel }: { readonly input: InboundRequest; readonly channel: SimulatedChannel },
): InboundResult {
  const session = simulator.sessions.get(channel.network.session ?? '');
  learn(simulator, session, input);
  const id = input.id === undefined ? freshMessageId() : bareId(input.id);
  const message = messageOf(simulator, exchange, { input, session, id });
  const renderContext = { session, people: simulator.people, now: simulator.clock.now() };
  const { edits, deletes, reaction } = input;
  const body = { id, fullId: serializedId(message) };
  const change = changeOf({ edits, deletes, reaction }, session);
  if (change === null) {
    session.messages.keep(message);
  } else if (change.type !== 'reaction') {
    apply(session, change, message);
  }
  const rendered = formsOf(simulator, input, message).flatMap((chat) =>
    change === null
      ? input.events.map((event) => bridgeMessage({ ...renderContext, chat }, message, event))
      : [bridgeChange({ ...renderContext, chat }, message, change)],
  );
  return { body, entries: Array.from({ length: input.times }, () => rendered).flat() };
}

/** The forms of the chat in which it is reported: one unless both are requested. */
function formsOf(
  simulator: SimulatorState,
  input: InboundRequest,
  message: BridgeMessage,
): readonly string[] {
  const other = input.bothForms ? simulator.people.otherForm(message.chat) : undefined;
  return other === undefined ? [message.chat] : [message.chat, other];
}

function learn(simulator: SimulatorState, session: BridgeSession, input: InboundRequest): void {
  const { from, phoneShown, phoneKnown, echo, bookkeeping } = input;
  simulator.people.recordContact(from);
  const phone = phoneShown ?? phoneKnown;
  if (phone !== undefined) simulator.people.revealPhone(from, phone);
  if (echo || bookkeeping !== undefined) return;
  session.reach.recordContact(chatId(from));
  simulator.observer?.wrote?.(session.name, chatId(from));
}

type Changes = Pick<InboundRequest, 'edits' | 'deletes' | 'reaction'>;

function changeOf({ edits, deletes, reaction }: Changes, session: BridgeSession) {
  if (edits !== undefined) return { type: 'edit', of: bareId(edits) } as const;
  if (deletes !== undefined) return { type: 'revoke', of: bareId(deletes) } as const;
  if (reaction === undefined) return null;
  const known = session.messages.find(bareId(reaction.to));
  const of = known === undefined ? reaction.to : serializedId(known);
  return { type: 'reaction', of, text: reaction.emoji } as const;
}

/** A look-up returns the newest text, and a deleted message no more. */
function apply(
  session: BridgeSession,
  change: { readonly type: 'edit' | 'revoke'; readonly of: string },
  action: BridgeMessage,
): void {
  const known = session.messages.find(change.of);
  if (change.type === 'revoke') session.messages.remove(change.of);
  else if (known !== undefined) known.text = action.text;
}

function messageOf(
  simulator: SimulatorState,
  exchange: Exchange,
  given: { readonly input: InboundRequest; readonly session: BridgeSession; readonly id: string },
): BridgeMessage {
  const { input, session, id } = given;
  const { from, group, echo, replyTo, place, cards, name, phoneShown } = input;
  const { bookkeeping, unsupported: phoneOnly, wrapped, referral, product, order } = input;
  const file = fileOf(simulator, input, {
    addressOf: (mediaId) => `${session.address ?? originOf(exchange)}/api/files/${mediaId}`,
    stem: `${session.name}/${id}`,
  });
  const text = input.text ?? input.media?.caption ?? null;
  return {
    id,
    fromMe: echo,
    chat: group ?? chatId(from),
    ...(group === undefined ? {} : { participant: echo ? session.me.id : chatId(from) }),
    at: input.at ?? simulator.clock.now(),
    text,
    ...(file === undefined ? {} : { file }),
    ...(place === undefined ? {} : { place }),
    ...(cards === undefined ? {} : { cards }),
    ...(name === undefined ? {} : { name }),
    ...{ bookkeeping, phoneOnly, wrapped, referral, product, order },
    ...(replyTo === undefined ? {} : { replyTo: session.messages.quoted(bareId(replyTo)) }),
    ...(isHidden(chatId(from)) ? { phoneShown } : {}),
    ack: echo ? 1 : 2,
  };
}

function inboundFieldsOf(input: InboundRequest): Omit<Inbound, 'media'> {
  const { channelId: _c, phoneNumberId: _n, session: _s, reply: _r, call: _k, ...others } = input;
  const { media, ...rest } = others;
  const text = input.text ?? media?.caption;
  return text === undefined ? rest : { ...rest, text };
}

interface FilePlace {
  readonly addressOf: (mediaId: string) => string;
  /** The file's name without its ending, where the name is derived from the message. */
  readonly stem?: string;
}

function fileOf(
  simulator: SimulatorState,
  { media }: InboundRequest,
  { addressOf, stem }: FilePlace,
): InboundFile | undefined {
  if (media === undefined) return undefined;
  const { mimeType, fileName, voice, notDownloaded, gone, errorCode } = media;
  const about = { mimeType, fileName, voice, notDownloaded, gone, errorCode };
  const kind = media.kind ?? kindOfMime(mimeType);
  if (media.url !== undefined) return { ...about, id: freshHex(), kind, url: media.url };
  const bytes = Buffer.from(media.data ?? '', 'base64');
  const named = stem === undefined ? {} : { id: `${stem}.${extensionOf(mimeType)}` };
  const { id, sha256 } = simulator.media.add(bytes, mimeType, { fileName, ...named });
  return { ...about, id, kind, url: addressOf(id), sha256 };
}

function originOf({ request }: Exchange): string {
  return `http://${request.headers.host ?? ''}`;
}

function kindOfMime(mimeType: string): MediaKind {
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}
