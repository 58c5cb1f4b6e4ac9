/**
 * Readiness of a `cloud` number: `GET /{version}/{phoneNumberId}` (C13.6), by its own status and by
 * the health of number, account, business and app. An answer without information on the number (a
 * throttle, a 5xx, a 401) is `unknown`, never "not ready". An account that owes the network can
 * send what is free: it is `unpaid`, and ready.
 */
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../shared/ports/network-event.ts';
import { readinessOfRefusal } from '../answered-fault.ts';
import type { HttpAnswer } from '../http-caller.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  numberAt,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';
import { INVALID_PARAMETER, REMOVED } from './codes.ts';
import {
  authorization,
  blockOf,
  type CloudSender,
  isUnpaid,
  missingSetting,
  numberUrl,
  outcomeOfAnswered,
  parseGraphError,
  STATUS_TIMEOUT_MS,
} from './send.ts';

const FIELDS = 'display_phone_number,verified_name,status,platform_type,quality_rating';

/** Statuses under which Meta accepts no message; those not listed (FLAGGED, …) can still send. */
const CLOSED_STATUSES: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'O número ainda está em ativação na rede.'],
  ['UNVERIFIED', 'O número ainda não foi verificado na rede.'],
  ['DELETED', REMOVED],
  ['MIGRATED', 'O número foi migrado para outra conta do WhatsApp Business.'],
  ['BANNED', 'O número foi banido pela rede.'],
  ['DISCONNECTED', 'O número está desconectado da rede.'],
]);

/** The places of a block, as the health status names them. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['PHONE_NUMBER', 'o número'],
  ['WABA', 'a conta do WhatsApp Business'],
  ['BUSINESS', 'a empresa'],
  ['APP', 'o aplicativo'],
]);

/** Asks the network; never rejects. */
export async function readStatus(sender: CloudSender, channel: NetworkChannel): Promise<Readiness> {
  const missing = missingSetting(channel);
  if (missing !== null) return { ready: false, reason: missing };
  const answer = await ask(sender, channel, `${FIELDS},health_status`);
  // A version of the API that does not know the field refuses the whole question.
  const code = answer.answered ? parseGraphError(answer.body)?.code : undefined;
  return readinessOfAnswer(
    code === INVALID_PARAMETER ? await ask(sender, channel, FIELDS) : answer,
  );
}

function ask(sender: CloudSender, channel: NetworkChannel, fields: string): Promise<HttpAnswer> {
  return sender.http.call({
    method: 'GET',
    url: `${numberUrl(channel, sender.resolveBaseUrl)}?fields=${fields}`,
    headers: authorization(channel),
    timeoutMs: STATUS_TIMEOUT_MS,
  });
}

function readinessOfAnswer(answer: HttpAnswer): Readiness {
  if (!answer.answered) return { ready: 'unknown', cause: answer.cause, fault: answer.fault };
  const error = parseGraphError(answer.body);
  const number = parseRecord(answer.body);
  if (answer.status === 200 && error === null && number !== null) return readinessOf(number);
  const outcome = outcomeOfAnswered(answer.status, error);
  return readinessOfRefusal(outcome, `status ${answer.status}, code ${error?.code ?? 'none'}`);
}

function readinessOf(number: JsonRecord): Readiness {
  const reason = numberReason(number);
  if (reason !== null) return { ready: false, reason };
  // A version of the API without the health tells nothing of payments.
  return isRecord(number.health_status)
    ? { ready: true, unpaid: isUnpaidNumber(number) }
    : { ready: true };
}

/** Whether the network blocks the number for a payment alone. */
export function isUnpaidNumber(number: JsonRecord): boolean {
  const health = recordAt(number, 'health_status');
  const blocked = blockedEntities(health);
  return blocked.length > 0 && blocked.every(owes);
}

/** Null when the number can send, if only what is free; else why not, in Portuguese. */
export function numberReason(number: JsonRecord): string | null {
  const closed = CLOSED_STATUSES.get(textAt(number, 'status') ?? '');
  if (closed !== undefined) return closed;
  const platform = textAt(number, 'platform_type');
  if (platform !== undefined && platform !== 'CLOUD_API') {
    return 'O número não está na API do WhatsApp Business (Cloud API).';
  }
  return blockedBy(recordAt(number, 'health_status'));
}

/** The sentence for a blocked number; a number that is only limited can send. */
function blockedBy(health: JsonRecord): string | null {
  if (health.can_send_message !== 'BLOCKED') return null;
  const blocked = blockedEntities(health);
  if (blocked.length > 0 && blocked.every(owes)) return null;
  const entity = blocked.find((each) => !owes(each)) ?? {};
  const codes = codesOf(entity);
  const known = codes.flatMap((code) => blockOf({ code }) ?? [])[0];
  if (known !== undefined) return known.reason;
  const place = PLACES.get(textAt(entity, 'entity_type') ?? '') ?? 'o número';
  return `A rede bloqueou ${place}${codes.length === 0 ? '' : ` (código ${codes.join(', ')})`}.`;
}

/** The entities that block the number; none where the whole is not blocked. */
function blockedEntities(health: JsonRecord): readonly JsonRecord[] {
  if (health.can_send_message !== 'BLOCKED') return [];
  const entities = listAt(health, 'entities').filter(isRecord);
  return entities.filter((each) => each.can_send_message === 'BLOCKED');
}

function owes(entity: JsonRecord): boolean {
  const codes = codesOf(entity);
  return codes.length > 0 && codes.every((code) => isUnpaid({ code }));
}

function codesOf(entity: JsonRecord): readonly number[] {
  return listAt(entity, 'errors').flatMap((error) =>
    isRecord(error) ? (numberAt(error, 'error_code') ?? []) : [],
  );
}
