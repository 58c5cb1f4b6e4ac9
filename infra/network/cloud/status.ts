/**
 * Whether a `cloud` number can send now: `GET /{version}/{phoneNumberId}` (interfaces: Networks).
 * An answer that says nothing about the number (a throttle, a 5xx) is `unknown`, never "not ready".
 */
import type { NetworkChannel, Readiness } from '../../../shared/network.ts';
import { type JsonRecord, parseRecord, textAt } from '../json-shape.ts';
import { outcomeOfError, parseGraphError } from './errors.ts';
import { authorization, missingSetting, numberUrl, STATUS_TIMEOUT_MS } from './graph-call.ts';
import type { CloudSender } from './send.ts';

const FIELDS = 'display_phone_number,verified_name,status,platform_type,quality_rating';

/** Statuses under which Meta takes no message; those not listed (FLAGGED, …) can still send. */
const CLOSED_STATUSES: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'O número ainda está em ativação na rede.'],
  ['UNVERIFIED', 'O número ainda não foi verificado na rede.'],
  ['DELETED', 'O número foi removido da conta do WhatsApp Business.'],
  ['MIGRATED', 'O número foi migrado para outra conta do WhatsApp Business.'],
  ['BANNED', 'O número foi banido pela rede.'],
  ['DISCONNECTED', 'O número está desconectado da rede.'],
]);

/** Asks the network; never rejects. */
export async function readStatus(sender: CloudSender, channel: NetworkChannel): Promise<Readiness> {
  const missing = missingSetting(channel);
  if (missing !== null) return { ready: false, reason: missing };
  const answer = await sender.http.call({
    method: 'GET',
    url: `${numberUrl(channel, sender.resolveBaseUrl)}?fields=${FIELDS}`,
    headers: authorization(channel),
    timeoutMs: STATUS_TIMEOUT_MS,
  });
  if (!answer.answered) return { ready: 'unknown', cause: answer.cause };
  const error = parseGraphError(answer.body);
  const number = parseRecord(answer.body);
  if (answer.status === 200 && error === null && number !== null) return readinessOf(number);
  const outcome = outcomeOfError(answer.status, error);
  if ('channelReason' in outcome && outcome.channelReason !== undefined) {
    return { ready: false, reason: outcome.channelReason };
  }
  return { ready: 'unknown', cause: `status ${answer.status}, code ${error?.code ?? 'none'}` };
}

function readinessOf(number: JsonRecord): Readiness {
  const closed = CLOSED_STATUSES.get(textAt(number, 'status') ?? '');
  if (closed !== undefined) return { ready: false, reason: closed };
  const platform = textAt(number, 'platform_type');
  if (platform !== undefined && platform !== 'CLOUD_API') {
    return { ready: false, reason: 'O número não está na API do WhatsApp Business (Cloud API).' };
  }
  return { ready: true };
}
