/** A contact writes, or a person on the connected phone: the network's webhooks of it. */
import { bridgeChange, bridgeMessage } from './bridge-events.ts';
import { bareId, chatId, freshMessageId, isHidden, serializedId } from './bridge-ids.ts';
import type { BridgeMessage } from './bridge-message.ts';
import type { BridgeSession } from './bridge-sessions.ts';
import type { SandboxChannel } from './channels.ts';
import { cloudInbound } from './cloud-events.ts';
import { isUserId } from './cloud-people.ts';
import { channelsOf, readInput, respondWhenTaken } from './control-input.ts';
import { type Exchange, respondJson } from './exchange.ts';
import { mediaUrl } from './graph-api.ts';
import {
  hasContent,
  type Inbound,
  type InboundFile,
  type InboundRequest,
  InboundSchema,
  type MediaKind,
} from './inbound.ts';
import { extensionOf } from './media-store.ts';
import type { WebhookEntry } from './webhook-entry.ts';
import { freshHex, type World } from './world.ts';

export async function inject(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(InboundSchema, exchange);
  if (input === null) return;
  const { response } = exchange;
  if (!hasContent(input)) {
    return respondJson(response, 400, { error: 'text or media is needed' });
  }
  const channels = await world.directory.find((set) => channelsOf(set, input));
  const [first] = channels ?? [];
  if (channels === undefined || first === undefined) {
    return respondJson(response, 404, { error: 'no such channel' });
  }
  const { told, entries } =
    first.provider === 'cloud'
      ? tellCloud(world, exchange, input)
      : tellBridge(world, exchange, { input, channel: first });
  const answers = await Promise.all(
    channels.flatMap((channel) => entries.map((entry) => world.lanes.deliver(channel, entry))),
  );
  respondWhenTaken(exchange, answers, told);
}

interface Told {
  readonly told: Readonly<Record<string, unknown>>;
  readonly entries: readonly WebhookEntry[];
}

function tellCloud(world: World, exchange: Exchange, input: InboundRequest): Told {
  const id = input.id ?? `wamid.${freshHex()}`;
  const { from } = input;
  if (input.userId !== undefined && !isUserId(from)) {
    world.cloudPeople.setUserId(from, input.userId);
  }
  const userId = isUserId(from) ? from : world.cloudPeople.userIdOf(from);
  const media = fileOf(world, input, {
    addressOf: (mediaId) => mediaUrl(originOf(exchange), mediaId),
  });
  const inbound: Inbound = { ...said(input), userId, ...(media && { media }) };
  const entry = cloudInbound(inbound, id, world.clock.now());
  return { told: { id }, entries: Array.from({ length: input.times }, () => entry) };
}

function tellBridge(
  world: World,
  exchange: Exchange,
  { input, channel }: { readonly input: InboundRequest; readonly channel: SandboxChannel },
): Told {
  const session = world.sessions.get(channel.network.session ?? '');
  learn(world, session, input);
  const id = input.id === undefined ? freshMessageId() : bareId(input.id);
  const message = messageOf(world, exchange, { input, session, id });
  const telling = { session, people: world.people, now: world.clock.now() };
  const { edits, deletes, reaction } = input;
  const told = { id, fullId: serializedId(message) };
  const change = changeOf({ edits, deletes, reaction }, session);
  if (change === null) {
    session.keep(message);
  } else if (change.type !== 'reaction') {
    apply(session, change, message);
  }
  const tellings = formsOf(world, input, message).flatMap((chat) =>
    change === null
      ? input.events.map((event) => bridgeMessage({ ...telling, chat }, message, event))
      : [bridgeChange({ ...telling, chat }, message, change)],
  );
  return { told, entries: Array.from({ length: input.times }, () => tellings).flat() };
}

/** The forms of the chat by which it is told: by one unless both are asked for. */
function formsOf(world: World, input: InboundRequest, message: BridgeMessage): readonly string[] {
  const other = input.bothForms ? world.people.otherForm(message.chat) : undefined;
  return other === undefined ? [message.chat] : [message.chat, other];
}

function learn(world: World, session: BridgeSession, input: InboundRequest): void {
  const { from, phoneShown, phoneKnown, echo } = input;
  world.people.meet(from);
  const phone = phoneShown ?? phoneKnown;
  if (phone !== undefined) world.people.tellPhone(from, phone);
  if (echo) return;
  session.meet(chatId(from));
  world.witness?.wrote?.(session.name, chatId(from));
}

type Changes = Pick<InboundRequest, 'edits' | 'deletes' | 'reaction'>;

function changeOf({ edits, deletes, reaction }: Changes, session: BridgeSession) {
  if (edits !== undefined) return { type: 'edit', of: bareId(edits) } as const;
  if (deletes !== undefined) return { type: 'revoke', of: bareId(deletes) } as const;
  if (reaction === undefined) return null;
  const known = session.message(bareId(reaction.to));
  const of = known === undefined ? reaction.to : serializedId(known);
  return { type: 'reaction', of, text: reaction.emoji } as const;
}

/** A look-up shows the newest text, and a deleted message no more. */
function apply(
  session: BridgeSession,
  change: { readonly type: 'edit' | 'revoke'; readonly of: string },
  action: BridgeMessage,
): void {
  const known = session.message(change.of);
  if (change.type === 'revoke') session.remove(change.of);
  else if (known !== undefined) known.text = action.text;
}

function messageOf(
  world: World,
  exchange: Exchange,
  given: { readonly input: InboundRequest; readonly session: BridgeSession; readonly id: string },
): BridgeMessage {
  const { input, session, id } = given;
  const { from, group, echo, replyTo, place, cards, name, phoneShown } = input;
  const file = fileOf(world, input, {
    addressOf: (mediaId) => `${session.address ?? originOf(exchange)}/api/files/${mediaId}`,
    stem: `${session.name}/${id}`,
  });
  const text = input.text ?? input.media?.caption ?? null;
  return {
    id,
    fromMe: echo,
    chat: group ?? chatId(from),
    ...(group === undefined ? {} : { participant: echo ? session.me.id : chatId(from) }),
    at: input.at ?? world.clock.now(),
    text,
    ...(file === undefined ? {} : { file }),
    ...(place === undefined ? {} : { place }),
    ...(cards === undefined ? {} : { cards }),
    ...(name === undefined ? {} : { name }),
    ...(replyTo === undefined ? {} : { replyTo: session.quoted(bareId(replyTo)) }),
    ...(isHidden(chatId(from)) ? { phoneShown } : {}),
    ack: echo ? 1 : 2,
  };
}

function said(input: InboundRequest): Omit<Inbound, 'media'> {
  const { channelId: _c, phoneNumberId: _n, session: _s, media, ...rest } = input;
  const text = input.text ?? media?.caption;
  return text === undefined ? rest : { ...rest, text };
}

interface FilePlace {
  readonly addressOf: (mediaId: string) => string;
  /** The file's name but its ending, where the name tells of the message. */
  readonly stem?: string;
}

function fileOf(
  world: World,
  { media }: InboundRequest,
  { addressOf, stem }: FilePlace,
): InboundFile | undefined {
  if (media === undefined) return undefined;
  const { mimeType, fileName, voice, notDownloaded, gone } = media;
  const about = { mimeType, fileName, voice, notDownloaded, gone };
  const kind = media.kind ?? kindOfMime(mimeType);
  if (media.url !== undefined) return { ...about, id: freshHex(), kind, url: media.url };
  const bytes = Buffer.from(media.data ?? '', 'base64');
  const named = stem === undefined ? {} : { id: `${stem}.${extensionOf(mimeType)}` };
  const { id, sha256 } = world.media.add(bytes, mimeType, { fileName, ...named });
  return { ...about, id, kind, url: addressOf(id), sha256 };
}

function originOf({ request }: Exchange): string {
  return `http://${request.headers.host ?? ''}`;
}

function kindOfMime(mimeType: string): MediaKind {
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}
