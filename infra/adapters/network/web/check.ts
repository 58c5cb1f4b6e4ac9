/**
 * Check of a `web` channel from its settings to its webhook, for `recado channels check`. The
 * bridge reports its session with the webhooks' configuration. Then an event of our own, signed as
 * the bridge signs, is posted to the webhook as the bridge would.
 */
import { createHmac } from 'node:crypto';
import {
  type ChannelFinding,
  fail,
  pass,
  settingsFinding,
  skip,
  withSkippedSteps,
} from '../../../../shared/channel-check.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import { CHECK_TIMEOUT_MS, checkOwnCall } from '../check-webhook.ts';
import type { HttpAnswer } from '../http-caller.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  parseRecord,
  recordAt,
  sameSecret,
  textAt,
} from '../webhook-body.ts';
import { type BridgeCaller, readBridge, sessionOf } from './bridge-call.ts';
import type { Directory } from './directory.ts';
import { sessionReason } from './errors.ts';
import { findPhoneOfMe, otherNumber } from './own-number.ts';

const NEEDED = ['baseUrl', 'session', 'webhookSecret'] as const;
/** One of the first two delivers messages; docs/networks.md lists the effects of the others. */
const MESSAGES = ['message.any', 'message'];
const NEEDED_EVENTS = ['message.ack', 'session.status'];
const MORE_EVENTS = ['message.reaction', 'message.edited', 'message.revoked'];
/**
 * The required policy: under the bridge's default, `constant`, a short absence of the service would
 * lose events for good.
 */
const RETRY_POLICY = 'exponential';
/** No event of the bridge has this name: the service accepts and skips it. */
const OWN_EVENT = 'recado.check';
const SET_IN_SESSION = { code: 'setInSession', params: {} } as const;

export interface ChannelChecker extends BridgeCaller {
  readonly directory: Directory;
}

/** Never rejects. */
export async function checkChannel(
  caller: ChannelChecker,
  channel: NetworkChannel,
  webhookUrl: string,
): Promise<readonly ChannelFinding[]> {
  const missing = NEEDED.filter((name) => !channel.network[name]);
  const settings = settingsFinding(missing, { code: 'bridgeSettingsSet', params: {} });
  const webhook = ownEvent(caller, channel, webhookUrl);
  const asked = missing.some((name) => name !== 'webhookSecret')
    ? []
    : await askBridge(caller, channel, webhookUrl);
  return withSkippedSteps([settings, ...asked, await webhook]);
}

async function askBridge(
  caller: ChannelChecker,
  channel: NetworkChannel,
  webhookUrl: string,
): Promise<readonly ChannelFinding[]> {
  const path = `/api/sessions/${encodeURIComponent(sessionOf(channel))}`;
  const answer = await readBridge(caller, channel, { path, timeoutMs: CHECK_TIMEOUT_MS });
  const session = answer.answered ? parseRecord(answer.body) : null;
  const base = caller.resolveBaseUrl(channel.network.baseUrl);
  const address = addressFinding(answer, base, session);
  if (address.ok !== true || !answer.answered) return [address];
  if (answer.status === 401 || answer.status === 403) {
    const refused = { code: 'keyRefused', params: { status: answer.status } } as const;
    return [address, fail('token', refused, { code: 'giveBridgeKey', params: {} })];
  }
  const token = pass('token', { code: 'keyTaken', params: {} });
  if (answer.status !== 200) {
    const params = { session: sessionOf(channel), status: answer.status };
    const remedy = { code: 'startSession', params: {} } as const;
    return [address, token, fail('number', { code: 'noSession', params }, remedy)];
  }
  const hook = webhookOf(session ?? {}, webhookUrl);
  const secret = channel.network.webhookSecret ?? '';
  const number = await numberFinding(caller, channel, session ?? {});
  return [address, token, number, signatureFinding(hook, secret), eventsFinding(hook, webhookUrl)];
}

function addressFinding(answer: HttpAnswer, base: string, body: JsonRecord | null): ChannelFinding {
  const remedy = { code: 'reachBridge', params: {} } as const;
  if (!answer.answered) {
    const { cause } = answer;
    return fail('address', { code: 'addressSilent', params: { base, cause } }, remedy);
  }
  if (body !== null) return pass('address', { code: 'addressAnswers', params: { base } });
  const { status } = answer;
  return fail('address', { code: 'notBridge', params: { base, status } }, remedy);
}

async function numberFinding(
  { directory }: ChannelChecker,
  channel: NetworkChannel,
  session: JsonRecord,
): Promise<ChannelFinding> {
  const status = textAt(session, 'status') ?? null;
  const reason = sessionReason(status ?? '');
  if (reason !== null) {
    const stopped = { code: 'sessionStopped', params: { status, reason } } as const;
    return fail('number', stopped, { code: 'seeDashboard', params: {} });
  }
  const phone = await findPhoneOfMe(directory, channel, session, CHECK_TIMEOUT_MS);
  if (phone !== undefined && otherNumber(channel, phone) !== null) {
    const numbers = { phone, channelPhone: channel.phone };
    const remedy = { code: 'scanOrCorrectPhone', params: {} } as const;
    return fail('number', { code: 'otherNumber', params: numbers }, remedy);
  }
  const engine = textAt(recordAt(session, 'engine'), 'engine') ?? null;
  return pass('number', { code: 'sessionWorks', params: { phone: phone ?? null, engine } });
}

/** The session's webhook that leads to us. */
function webhookOf(session: JsonRecord, webhookUrl: string): JsonRecord | null {
  const hooks = listAt(recordAt(session, 'config'), 'webhooks').filter(isRecord);
  return hooks.find((each) => each.url === webhookUrl) ?? null;
}

function signatureFinding(hook: JsonRecord | null, secret: string): ChannelFinding {
  if (hook === null) return skip('signature', { code: 'noHookHere', params: {} });
  const key = textAt(recordAt(hook, 'hmac'), 'key');
  if (key !== undefined && sameSecret(key, secret)) {
    return pass('signature', { code: 'hookSigned', params: {} });
  }
  if (key !== undefined && /^\*+$/.test(key)) {
    return skip('signature', { code: 'hookKeyHidden', params: {} });
  }
  const code = key === undefined ? 'hookUnsigned' : 'hookSignedByOther';
  return fail('signature', { code, params: {} }, SET_IN_SESSION);
}

function eventsFinding(hook: JsonRecord | null, webhookUrl: string): ChannelFinding {
  if (hook === null) {
    const detail = { code: 'noHookTo', params: { url: webhookUrl } } as const;
    return fail('events', detail, { code: 'setHookInSession', params: {} });
  }
  const events = listAt(hook, 'events');
  const has = (name: string) => events.includes(name) || events.includes('*');
  const lacking = [
    ...(MESSAGES.some(has) ? [] : ['message.any']),
    ...NEEDED_EVENTS.filter((name) => !has(name)),
  ];
  if (lacking.length > 0) {
    return fail('events', { code: 'hookLacks', params: { events: lacking } }, SET_IN_SESSION);
  }
  const policy = textAt(recordAt(hook, 'retries'), 'policy') ?? 'constant';
  if (policy !== RETRY_POLICY) {
    return fail('events', { code: 'hookRetries', params: { policy } }, SET_IN_SESSION);
  }
  const without = MORE_EVENTS.filter((name) => !has(name));
  return pass('events', { code: 'eventsCome', params: { from: 'bridge', without } });
}

/** Signed by the channel's own secret: the path to the webhook is checked. */
function ownEvent(
  { http, resolveBaseUrl }: BridgeCaller,
  channel: NetworkChannel,
  webhookUrl: string,
): Promise<ChannelFinding> {
  const session = sessionOf(channel);
  const body = JSON.stringify({ event: OWN_EVENT, session, payload: {} });
  const secret = channel.network.webhookSecret ?? '';
  const headers = {
    'content-type': 'application/json',
    'x-webhook-hmac-algorithm': 'sha512',
    'x-webhook-hmac': createHmac('sha512', secret).update(body).digest('hex'),
  };
  return checkOwnCall({
    http,
    call: { method: 'POST', url: webhookUrl, headers, body },
    networkUrl: resolveBaseUrl(channel.network.baseUrl),
    isOurs: (answer) => answer.status === 200 && answer.body.includes('"received":true'),
  });
}
