/**
 * Meta's Graph API as a Cloud API number sees it: messages, templates, the number itself, media.
 * The order of refusal is Graph's: token, object, then (here) an injected fault, then the body.
 */

import {
  type Exchange,
  readBody,
  respond,
  respondBytes,
  respondJson,
} from '../../http/exchange.ts';
import { parseUpload } from '../../http/multipart.ts';
import { accountOf, type ChannelSet, type SimulatedChannel } from '../../network/channels.ts';
import { numberKey } from '../../network/faults.ts';
import type { SimulatorState } from '../../state/simulator-state.ts';
import type { Health } from '../people.ts';
import {
  codeOfStatus,
  graphError,
  invalidToken,
  type Reply,
  unknownObject,
  unknownPath,
} from '../schema/errors.ts';
import { APP_ID, answerAsApp, answerOfToken } from './app.ts';
import { sendCloud } from './send.ts';
import { answerOfTemplates } from './templates.ts';

/** Faults that Graph would also give to a question about the number. */
const NUMBER_CODES = new Set([0, 2, 3, 10, 102, 190, 200, 368, 131005, 131031, 133010]);

/** `/{version}/{object}[/{edge}]`; null when the path is not Graph's. */
export function parseGraphPath(path: string): { object: string; edge: string } | null {
  const match = /^\/v\d+\.\d+\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path);
  const object = match?.[1];
  return object === undefined
    ? null
    : { object: decodeURIComponent(object), edge: match?.[2] ?? '' };
}

export async function serveGraph(
  simulator: SimulatorState,
  exchange: Exchange,
  target: { readonly object: string; readonly edge: string },
): Promise<void> {
  const { request, response, method, path } = exchange;
  const token = bearer(request.headers.authorization);
  const asApp = await answerAsApp(simulator, exchange, { ...target, token });
  if (asApp !== null) return respond(response, asApp);
  const known = await simulator.directory.find((set) => set.knowsToken(token) || undefined);
  if (known === undefined) return respond(response, invalidToken());
  const ofToken = await answerOfToken(simulator, exchange, target);
  if (ofToken !== null) return respond(response, ofToken);
  if (target.edge === '' && (await serveMedia(simulator, exchange, target.object))) return;
  const ofTemplates = await answerOfTemplates(simulator, exchange, { ...target, token });
  if (ofTemplates !== null) return respond(response, ofTemplates);
  const channels = await simulator.directory.find((set) => numbers(set, target.object, token));
  if (channels === undefined) return respond(response, unknownObject(method, target.object));
  const route = `${method} ${target.edge}`;
  if (route === 'POST messages') return sendCloud(simulator, exchange, channels);
  const [channel] = channels;
  if (route === 'GET ' && channel) return respond(response, describe(simulator, exchange, channel));
  if (route === 'POST media') return upload(simulator, exchange);
  respond(response, unknownPath(path));
}

function numbers(
  set: ChannelSet,
  phoneNumberId: string,
  token: string,
): readonly SimulatedChannel[] | undefined {
  const found = set.byNumber(phoneNumberId).filter((c) => c.network.accessToken === token);
  return found.length === 0 ? undefined : found;
}

function describe(simulator: SimulatorState, exchange: Exchange, channel: SimulatedChannel): Reply {
  const { phoneNumberId = '' } = channel.network;
  const fault = simulator.faults.peek(numberKey('cloud', phoneNumberId));
  const code =
    fault?.code ?? (fault?.status === undefined ? undefined : codeOfStatus(fault.status));
  if (code !== undefined && (NUMBER_CODES.has(code) || (fault?.status ?? 0) >= 500)) {
    return graphError(code, 'Injected by the simulator control.', { status: fault?.status });
  }
  const number: Record<string, unknown> = {
    verified_name: 'Sandbox',
    display_phone_number: phoneNumberId,
    status: 'CONNECTED',
    platform_type: 'CLOUD_API',
    quality_rating: 'GREEN',
    code_verification_status: 'VERIFIED',
    health_status: healthOf(simulator, phoneNumberId, accountOf(channel)),
    webhook_configuration: { application: channel.webhookUrl },
  };
  const fields = new URLSearchParams(exchange.query).get('fields')?.split(',');
  const shown = Object.entries(number).filter(([name]) => fields?.includes(name) ?? true);
  return { status: 200, body: JSON.stringify({ ...Object.fromEntries(shown), id: phoneNumberId }) };
}

/** As Meta shows an account without a valid payment method. Source: Meta, Health status. */
const DEBT: Health = {
  canSend: 'BLOCKED',
  entity: 'WABA',
  errors: [
    {
      error_code: 141_006,
      error_description: 'There is an error with the payment method.',
      possible_solution: 'Check the payment method of the account.',
    },
  ],
};

/** The number and its owners, each with its permission to send. */
function healthOf(
  simulator: SimulatorState,
  phoneNumberId: string,
  accountId: string,
): Record<string, unknown> {
  const health =
    simulator.cloudPeople.healthOf(phoneNumberId) ??
    (simulator.cloudPeople.debtOf(phoneNumberId)?.isShown ? DEBT : undefined);
  const ids = {
    PHONE_NUMBER: phoneNumberId,
    WABA: accountId,
    BUSINESS: '1',
    APP: APP_ID,
  };
  const entities = Object.entries(ids).map(([entity_type, id]) => {
    const blamed = health?.entity === entity_type ? health : undefined;
    const errors =
      blamed === undefined || blamed.errors.length === 0 ? {} : { errors: blamed.errors };
    return { entity_type, id, can_send_message: blamed?.canSend ?? 'AVAILABLE', ...errors };
  });
  return { can_send_message: health?.canSend ?? 'AVAILABLE', entities };
}

async function upload(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const body = await readBody(exchange.request);
  const file = parseUpload(exchange.request.headers['content-type'] ?? '', body);
  if (file === null) {
    return respond(exchange.response, graphError(100, 'The parameter file is required.'));
  }
  const { id } = simulator.media.add(file.bytes, file.mimeType, { fileName: file.fileName });
  respondJson(exchange.response, 200, { id });
}

/** Media are objects of their own; false when the id is not one of theirs. */
async function serveMedia(
  simulator: SimulatorState,
  exchange: Exchange,
  id: string,
): Promise<boolean> {
  const media = simulator.media.get(id);
  if (media === undefined) return false;
  const { request, response, method } = exchange;
  if (method === 'DELETE') {
    simulator.media.remove(id);
    respondJson(response, 200, { success: true });
    return true;
  }
  respondJson(response, 200, {
    messaging_product: 'whatsapp',
    url: mediaUrl(`http://${request.headers.host ?? ''}`, id),
    mime_type: media.mimeType,
    sha256: media.sha256,
    file_size: media.bytes.length,
    id,
  });
  return true;
}

/** Where the bytes of a media object are. */
export function mediaUrl(origin: string, id: string): string {
  return `${origin}/media/${id}`;
}

/** Serves the bytes to a caller with a token (`cloud`) or a key (`web`) of some channel. */
export async function serveMediaBytes(
  simulator: SimulatorState,
  exchange: Exchange,
  id: string,
): Promise<void> {
  const { request, response } = exchange;
  const token = bearer(request.headers.authorization);
  const apiKey = String(request.headers['x-api-key'] ?? '');
  const allowed = await simulator.directory.find(
    (set) => set.knowsToken(token) || set.knowsApiKey(apiKey) || undefined,
  );
  if (allowed === undefined) return respond(response, invalidToken());
  const media = simulator.media.get(id);
  if (media === undefined) return respondJson(response, 404, { error: 'not found' });
  respondBytes(response, media);
}

function bearer(header: string | undefined): string {
  return header?.startsWith('Bearer ') ? header.slice('Bearer '.length).trim() : '';
}
