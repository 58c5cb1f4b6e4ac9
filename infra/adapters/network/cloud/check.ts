/**
 * Check of a `cloud` channel from its settings to its webhook, for `recado channels check`. Meta's
 * own answers decide. The token is checked with `debug_token`, the secret by a call as the app
 * (`{app}/subscriptions`). The number reports the URL that it calls (`webhook_configuration`).
 *
 * 1. Steps that need an answer are asked after it; the rest are asked concurrently.
 * 2. A question that Meta refuses does not fail the channel: the step counts as not checked.
 */
import { randomUUID } from 'node:crypto';
import {
  type ChannelFinding,
  fail,
  notLookedAt,
  pass,
  settingsFinding,
  skip,
  withSkippedSteps,
} from '../../../../shared/channel-check.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import { CHECK_TIMEOUT_MS, checkOwnCall } from '../check-webhook.ts';
import type { HttpAnswer } from '../http-caller.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';
import { checkEvents, checkSecret } from './check-app.ts';
import { checkTemplates } from './check-templates.ts';
import { checkToken, refusedToken, type TokenFacts } from './check-token.ts';
import {
  authorization,
  type CloudSender,
  isGone,
  numberUrl,
  objectUrl,
  parseGraphError,
} from './send.ts';
import { isUnpaidNumber, numberReason } from './status.ts';

const NEEDED = ['phoneNumberId', 'accessToken', 'appSecret', 'verifyToken'] as const;
const FIELDS =
  'display_phone_number,verified_name,status,platform_type,quality_rating,health_status,' +
  'webhook_configuration';

export interface Checker extends CloudSender {
  readonly clock: Clock;
}

/** Never rejects. */
export async function checkChannel(
  sender: Checker,
  channel: NetworkChannel,
  webhookUrl: string,
): Promise<readonly ChannelFinding[]> {
  const missing = NEEDED.filter((name) => !channel.network[name]);
  const settings = settingsFinding(missing, { code: 'metaSettingsSet', params: {} });
  const webhook = challenge(sender, channel, webhookUrl);
  const isSilent = missing.some((name) => name === 'phoneNumberId' || name === 'accessToken');
  const { steps, templates } = isSilent
    ? { steps: [], templates: notLookedAt('templates', 'settings') }
    : await askGraph(sender, channel, webhookUrl);
  return [...withSkippedSteps([settings, ...steps, await webhook]), templates];
}

interface Asked {
  readonly steps: readonly ChannelFinding[];
  readonly templates: ChannelFinding;
}

/** Nothing after that step was asked. */
function stoppedAt(last: ChannelFinding, ...before: readonly ChannelFinding[]): Asked {
  return { steps: [...before, last], templates: notLookedAt('templates', last.step) };
}

async function askGraph(
  sender: Checker,
  channel: NetworkChannel,
  webhookUrl: string,
): Promise<Asked> {
  const url = numberUrl(channel, sender.resolveBaseUrl);
  const answer = await get(sender, `${url}?fields=${FIELDS}`, authorization(channel));
  const base = sender.resolveBaseUrl(channel.network.baseUrl) || null;
  const body = answer.answered ? parseRecord(answer.body) : null;
  const address = addressFinding(answer, base, body);
  if (address.ok !== true) return stoppedAt(address);
  const refused = refusedToken(answer);
  if (refused !== null) return stoppedAt(refused, address);
  const number = numberFinding(answer, body ?? {});
  const asking = askToken(sender, channel);
  const appId = entityOf(body ?? {}, 'APP') ?? textAt(await asking, 'app_id');
  const [facts, app, account, templates] = await Promise.all([
    asking,
    askApp(sender, channel, appId),
    askAccount(sender, channel, body ?? {}),
    checkTemplates(sender, channel, entityOf(body ?? {}, 'WABA')),
  ]);
  const token = checkToken(facts, sender.clock.now());
  const about = { app, account, number: body ?? {}, webhookUrl };
  return {
    steps: [address, token, number, checkSecret(about), checkEvents(about)],
    templates,
  };
}

/** @param base null: the simulator's */
function addressFinding(
  answer: HttpAnswer,
  base: string | null,
  body: JsonRecord | null,
): ChannelFinding {
  const remedy = { code: 'reachMeta', params: {} } as const;
  if (!answer.answered) {
    const { cause } = answer;
    return fail('address', { code: 'addressSilent', params: { base, cause } }, remedy);
  }
  if (body !== null) return pass('address', { code: 'addressAnswers', params: { base } });
  const { status } = answer;
  return fail('address', { code: 'notMeta', params: { base, status } }, remedy);
}

function numberFinding(answer: HttpAnswer, body: JsonRecord): ChannelFinding {
  const error = answer.answered ? parseGraphError(answer.body) : null;
  if (error !== null) {
    const where = { code: 'findNumberId', params: {} } as const;
    return isGone(error)
      ? fail('number', { code: 'noNumber', params: {} }, where)
      : skip('number', { code: 'numberUnread', params: { graphCode: error.code } });
  }
  const reason = numberReason(body);
  const shown = [textAt(body, 'display_phone_number'), textAt(body, 'verified_name')];
  const name = shown.filter((part) => part !== undefined).join(', ');
  if (reason !== null) {
    const stopped = { code: 'numberStopped', params: { name, reason } } as const;
    return fail('number', stopped, { code: 'seeManager', params: {} });
  }
  if (!isUnpaidNumber(body)) return pass('number', { code: 'numberSends', params: { name } });
  const unpaid = { code: 'numberUnpaid', params: { name } } as const;
  return fail('number', unpaid, { code: 'mendPayment', params: {} });
}

/** Meta's verification, as Meta would make it. */
function challenge(
  { http, resolveBaseUrl }: CloudSender,
  { network }: NetworkChannel,
  webhookUrl: string,
): Promise<ChannelFinding> {
  const word = randomUUID();
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': network.verifyToken ?? '',
    'hub.challenge': word,
  });
  return checkOwnCall({
    http,
    call: { method: 'GET', url: `${webhookUrl}?${query}`, headers: {} },
    networkUrl: resolveBaseUrl(network.baseUrl),
    isOurs: ({ status, body }) => status === 200 && body === word,
  });
}

async function askToken(sender: CloudSender, channel: NetworkChannel): Promise<TokenFacts> {
  const url = objectUrl(channel, 'debug_token', sender.resolveBaseUrl);
  const query = new URLSearchParams({ input_token: channel.network.accessToken ?? '' });
  const answer = await get(sender, `${url}?${query}`, authorization(channel));
  return recordAt((answer.answered && parseRecord(answer.body)) || {}, 'data');
}

/** An owner of the number, as its health names it. */
function entityOf(number: JsonRecord, type: string): string | undefined {
  const entities = listAt(recordAt(number, 'health_status'), 'entities').filter(isRecord);
  return textAt(entities.find((each) => each.entity_type === type) ?? {}, 'id');
}

async function askApp(sender: CloudSender, channel: NetworkChannel, id: string | undefined) {
  const { appSecret } = channel.network;
  if (id === undefined || !appSecret) return null;
  const url = `${objectUrl(channel, id, sender.resolveBaseUrl)}/subscriptions`;
  return { id, answer: await get(sender, url, { authorization: `Bearer ${id}|${appSecret}` }) };
}

async function askAccount(sender: CloudSender, channel: NetworkChannel, number: JsonRecord) {
  const id = entityOf(number, 'WABA');
  if (id === undefined) return null;
  const url = `${objectUrl(channel, id, sender.resolveBaseUrl)}/subscribed_apps`;
  const answer = await get(sender, url, authorization(channel));
  return answer.answered && answer.status === 200 ? parseRecord(answer.body) : null;
}

function get(
  { http }: CloudSender,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  return http.call({ method: 'GET', url, headers, timeoutMs: CHECK_TIMEOUT_MS });
}
