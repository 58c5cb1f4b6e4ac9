/**
 * The simulator's control interface (interfaces: Simulator control): make a contact write, see what
 * the network accepted, make it misbehave, forget all of it.
 *
 * Receipts of messages already accepted go on after "forget": the network took those messages.
 */
import * as v from 'valibot';
import type { HttpAnswer } from '../network/http-caller.ts';
import { parseRecord } from '../network/json-shape.ts';
import { bridgeInbound, bridgeSession, chatId } from './bridge-events.ts';
import { SESSION_STATUSES } from './bridge-people.ts';
import type { ChannelSet, SandboxChannel } from './channels.ts';
import { cloudInbound } from './cloud-events.ts';
import { type Exchange, readBody, respondJson } from './exchange.ts';
import { FaultSchema, numberKey } from './faults.ts';
import { mediaUrl } from './graph-api.ts';
import { type Inbound, type InboundRequest, InboundSchema, type MediaKind } from './inbound.ts';
import { freshHex, type World } from './world.ts';

export async function serveControl(world: World, exchange: Exchange): Promise<void> {
  const { response, method, path } = exchange;
  switch (`${method} ${path}`) {
    case 'POST /control/inbound':
      return inject(world, exchange);
    case 'GET /control/sent':
      return listSent(world, exchange);
    case 'POST /control/faults':
      return addFault(world, exchange);
    case 'POST /control/session':
      return setSession(world, exchange);
    case 'DELETE /control':
      world.people.clear();
      world.sent.clear();
      world.faults.clear();
      world.media.clear();
      return respondJson(response, 200, { ok: true });
    default:
      return respondJson(response, 404, { error: `no such control: ${method} ${path}` });
  }
}

async function readInput<S extends v.GenericSchema>(
  schema: S,
  exchange: Exchange,
): Promise<v.InferOutput<S> | null> {
  const json = (await readBody(exchange.request)).toString('utf8');
  const parsed = v.safeParse(schema, parseRecord(json));
  if (parsed.success) return parsed.output;
  const problems = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? ''}: ${issue.message}`);
  respondJson(exchange.response, 400, { error: 'not understood', problems });
  return null;
}

async function inject(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(InboundSchema, exchange);
  if (input === null) return;
  const { response } = exchange;
  if (input.text === undefined && input.media === undefined) {
    return respondJson(response, 400, { error: 'text or media is needed' });
  }
  const channels = await world.directory.find((set) => channelsOf(set, input));
  if (channels === undefined) return respondJson(response, 404, { error: 'no such channel' });
  world.people.meet(input.from);
  if (input.phoneKnown !== undefined) world.people.tellPhone(input.from, input.phoneKnown);
  const inbound = await place(world, exchange, input);
  const id = input.id ?? freshId(channels, input);
  const answers = await Promise.all(
    channels.map((channel) => {
      const describe = channel.provider === 'cloud' ? cloudInbound : bridgeInbound;
      return world.lanes.deliver(channel, describe(inbound, id, world.clock.now()));
    }),
  );
  const refused = answers.find((answer) => !answer.answered || answer.status !== 200);
  if (refused === undefined) respondJson(response, 200, { id });
  else respondJson(response, 502, { error: 'the webhook did not answer 200', ...toldBy(refused) });
}

/** By phone number id or session every channel connected to it gets the message. */
function channelsOf(
  set: ChannelSet,
  input: Pick<InboundRequest, 'channelId' | 'phoneNumberId' | 'session'>,
): readonly SandboxChannel[] | undefined {
  if (input.channelId !== undefined) {
    const channel = set.byId(input.channelId);
    return channel === undefined ? undefined : [channel];
  }
  const found =
    input.phoneNumberId !== undefined
      ? set.byNumber(input.phoneNumberId)
      : set.bySession(input.session ?? '');
  return found.length === 0 ? undefined : found;
}

async function place(world: World, exchange: Exchange, input: InboundRequest): Promise<Inbound> {
  const { from, phoneShown, name, replyTo, at, echo, media } = input;
  const text = input.text ?? media?.caption;
  const message = { from, phoneShown, name, replyTo, at, echo, text };
  if (media === undefined) return message;
  const { mimeType, fileName } = media;
  const kind = media.kind ?? kindOfMime(mimeType);
  if (media.url !== undefined) {
    const id = freshHex();
    return { ...message, media: { id, kind, mimeType, url: media.url, fileName } };
  }
  const bytes = Buffer.from(media.data ?? '', 'base64');
  const { id, sha256 } = world.media.add(bytes, mimeType, fileName);
  const url = mediaUrl(`http://${exchange.request.headers.host ?? ''}`, id);
  return { ...message, media: { id, kind, mimeType, url, sha256, fileName } };
}

function kindOfMime(mimeType: string): MediaKind {
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

function freshId(channels: readonly SandboxChannel[], input: InboundRequest): string {
  if (channels[0]?.provider === 'cloud') return `wamid.${freshHex()}`;
  return `${input.echo}_${chatId(input.from)}_3EB0${freshHex()}`;
}

function toldBy(answer: HttpAnswer): Record<string, unknown> {
  if (!answer.answered) return { cause: answer.cause };
  return { status: answer.status, body: answer.body.slice(0, 2_000) };
}

const SessionSchema = v.object({
  session: v.string(),
  status: v.picklist(SESSION_STATUSES),
});

/** A QR session changes its state: the bridge says so, and acts so. */
async function setSession(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(SessionSchema, exchange);
  if (input === null) return;
  const { session, status } = input;
  world.people.setSession(session, status);
  const find = (set: ChannelSet) => channelsOf(set, { session });
  for (const { channelId } of (await world.directory.find(find)) ?? []) {
    world.lanes.queue(channelId, session, bridgeSession(session, status));
  }
  respondJson(exchange.response, 200, { ok: true });
}

function listSent(world: World, exchange: Exchange): void {
  const to = new URLSearchParams(exchange.query).get('to') ?? undefined;
  const data = world.sent
    .list(to)
    .map((message) => ({ ...message, at: new Date(message.at).toISOString() }));
  respondJson(exchange.response, 200, { data });
}

async function addFault(world: World, exchange: Exchange): Promise<void> {
  const fault = await readInput(FaultSchema, exchange);
  if (fault === null) return;
  const { phoneNumberId, session } = fault;
  if (phoneNumberId === undefined && session === undefined) {
    return respondJson(exchange.response, 400, { error: 'phoneNumberId or session is needed' });
  }
  if (phoneNumberId !== undefined) world.faults.add(numberKey('cloud', phoneNumberId), fault);
  if (session !== undefined) world.faults.add(numberKey('web', session), fault);
  respondJson(exchange.response, 200, { ok: true });
}
