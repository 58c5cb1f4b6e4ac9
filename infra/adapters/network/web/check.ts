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
import { sessionReason } from './errors.ts';

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
const TO_SESSION = 'Set it in the config of the session: docs/networks.md, A bridge.';

const OF_BRIDGE = 'One of the whole bridge (WHATSAPP_HOOK_URL) is not shown by it.';

/** Never rejects. */
export async function checkChannel(
  caller: BridgeCaller,
  channel: NetworkChannel,
  webhookUrl: string,
): Promise<readonly ChannelFinding[]> {
  const missing = NEEDED.filter((name) => !channel.network[name]);
  const settings = settingsFinding(missing, 'address, session and secret are set');
  const webhook = ownEvent(caller, channel, webhookUrl);
  const asked = missing.some((name) => name !== 'webhookSecret')
    ? []
    : await askBridge(caller, channel, webhookUrl);
  return withSkippedSteps([settings, ...asked, await webhook]);
}

async function askBridge(
  caller: BridgeCaller,
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
    const remedy = 'apiKey is WAHA_API_KEY of the bridge, or a key of this session.';
    return [address, fail('token', `the bridge refuses apiKey (${answer.status})`, remedy)];
  }
  const token = pass('token', 'the bridge takes apiKey');
  if (answer.status !== 200) {
    const detail = `the bridge has no session "${sessionOf(channel)}" (${answer.status})`;
    return [address, token, fail('number', detail, 'Start the session of that name there.')];
  }
  const hook = webhookOf(session ?? {}, webhookUrl);
  const secret = channel.network.webhookSecret ?? '';
  const number = numberFinding(session ?? {});
  return [address, token, number, signatureFinding(hook, secret), eventsFinding(hook, webhookUrl)];
}

function addressFinding(answer: HttpAnswer, base: string, body: JsonRecord | null): ChannelFinding {
  const remedy = 'Start the bridge, let this machine reach it, or correct baseUrl.';
  if (!answer.answered) return fail('address', `${base} did not answer: ${answer.cause}`, remedy);
  if (body !== null) return pass('address', `${base} answers`);
  return fail('address', `${base} answered ${answer.status}, and not as a bridge`, remedy);
}

function numberFinding(session: JsonRecord): ChannelFinding {
  const status = textAt(session, 'status') ?? 'without a status';
  const reason = sessionReason(status);
  if (reason !== null) {
    return fail('number', `the session is ${status}: ${reason}`, 'See it in the dashboard.');
  }
  const me = textAt(recordAt(session, 'me'), 'id')?.split('@')[0];
  const engine = textAt(recordAt(session, 'engine'), 'engine');
  const details = [
    me === undefined ? '' : ` as +${me}`,
    engine === undefined ? '' : ` on ${engine}`,
  ];
  return pass('number', `the session works${details.join('')}`);
}

/** The session's webhook that leads to us. */
function webhookOf(session: JsonRecord, webhookUrl: string): JsonRecord | null {
  const hooks = listAt(recordAt(session, 'config'), 'webhooks').filter(isRecord);
  return hooks.find((each) => each.url === webhookUrl) ?? null;
}

function signatureFinding(hook: JsonRecord | null, secret: string): ChannelFinding {
  if (hook === null) return skip('signature', 'the session has no webhook that leads here');
  const key = textAt(recordAt(hook, 'hmac'), 'key');
  if (key !== undefined && sameSecret(key, secret))
    return pass('signature', "the webhook's hmac.key is webhookSecret");
  if (key !== undefined && /^\*+$/.test(key)) {
    return skip('signature', 'the bridge does not show its key');
  }
  const detail = key === undefined ? 'the webhook is not signed' : 'hmac.key is another secret';
  return fail('signature', `${detail}: it is answered 401`, TO_SESSION);
}

function eventsFinding(hook: JsonRecord | null, webhookUrl: string): ChannelFinding {
  if (hook === null) {
    const detail = `the session has no webhook to ${webhookUrl}`;
    return fail('events', detail, `${TO_SESSION} ${OF_BRIDGE}`);
  }
  const events = listAt(hook, 'events');
  const has = (name: string) => events.includes(name) || events.includes('*');
  const lacking = [
    ...(MESSAGES.some(has) ? [] : ['message.any']),
    ...NEEDED_EVENTS.filter((name) => !has(name)),
  ];
  if (lacking.length > 0) {
    return fail('events', `the webhook lacks ${lacking.join(', ')}`, TO_SESSION);
  }
  const policy = textAt(recordAt(hook, 'retries'), 'policy') ?? 'constant';
  if (policy !== RETRY_POLICY) {
    const detail = `retries are ${policy}: an absence of ours of a minute loses events`;
    return fail('events', detail, TO_SESSION);
  }
  const without = MORE_EVENTS.filter((name) => !has(name));
  const note = without.length === 0 ? '' : `; without ${without.join(', ')}`;
  return pass('events', `messages, receipts and states are posted here${note}`);
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
