/**
 * The meaning of an error of the Cloud API for a send and for the channel.
 *
 * 1. The code decides (`codes.ts`), never the HTTP status: throttles appear as 400, 403 and 429.
 * 2. A refusal that calls itself transient is repeated; the message fails when it stays.
 * 3. A code that is not listed falls back to the status (see `outcomeOfStatus`).
 */
import type { SendOutcome } from '../../../../shared/ports/network.ts';
import { withFault } from '../answered-fault.ts';
import { isRecord, type JsonRecord, numberAt, parseRecord, recordAt } from '../json-shape.ts';
import {
  BAD_TOKEN_REASON,
  broken,
  CHOKED,
  type ErrorRule,
  isUnknownObject,
  NUMBER_WAIT_MS,
  PERMISSION,
  ruleOfCode,
  TRANSIENT_WAIT_MS,
  transient,
} from './codes.ts';

export interface CloudError {
  readonly code: number;
  readonly subcode?: number;
  /** Graph's `is_transient`: the same request may be accepted later. */
  readonly transient?: boolean;
}

/** A reason why the whole channel cannot send. */
export interface ChannelBlock {
  readonly reason: string;
  /** Set where a probe does not see the end. */
  readonly holdMs?: number;
}

const NOT_THE_API = 'O endereço configurado não respondeu como a API do WhatsApp.';

/** The rule for a code; undefined when the status has to decide. */
function ruleOf(error: CloudError): ErrorRule | undefined {
  return ruleOfCode(error.code, error.subcode);
}

/** `{"error":{"code":…}}` of a Graph answer; null when the body is not one. */
export function parseGraphError(body: string): CloudError | null {
  const root = parseRecord(body);
  return root !== null && isRecord(root.error) ? cloudErrorOf(recordAt(root, 'error')) : null;
}

/** Code and subcode of one error object, of an answer or of a status alike. */
export function cloudErrorOf(error: JsonRecord): CloudError | null {
  const code = numberAt(error, 'code');
  if (code === undefined) return null;
  const subcode = numberAt(error, 'error_subcode');
  return {
    code,
    ...(subcode === undefined ? {} : { subcode }),
    ...(error.is_transient === true ? { transient: true } : {}),
  };
}

/** Whether the object that was asked for does not exist, as far as the token reaches. */
export function isGone(error: CloudError | null): boolean {
  return error !== null && isUnknownObject(error.code, error.subcode);
}

/** The meaning of a complete answer that refuses a send; nothing was sent. */
export function outcomeOfError(status: number, error: CloudError | null): SendOutcome {
  const rule = error === null ? undefined : ruleUnderTransience(error);
  if (rule === undefined) return outcomeOfStatus(status, error);
  return outcomeOfRule(rule, String(error?.code ?? status));
}

/** The same with the answer's fault, if it is one (`answered-fault`). */
export function outcomeOfAnswered(status: number, error: CloudError | null): SendOutcome {
  const outcome = outcomeOfError(status, error);
  const isToken = outcome.outcome === 'later' && outcome.channelReason === BAD_TOKEN_REASON;
  return withFault(outcome, {
    status,
    cause: `status ${status}, code ${error?.code ?? 'none'}`,
    passing: status === 401 || isToken ? 'unauthorized' : null,
  });
}

function outcomeOfRule(rule: ErrorRule, code: string): SendOutcome {
  if (rule.outcome === 'refused') return { ...rule, code };
  const { failure, ...later } = rule;
  return failure === undefined ? later : { ...later, failure: { code, reason: failure } };
}

/** A listed refusal that calls itself transient is one that may pass. */
function ruleUnderTransience(error: CloudError): ErrorRule | undefined {
  const rule = ruleOf(error);
  return rule?.outcome === 'refused' && error.transient ? transient(rule.reason) : rule;
}

function outcomeOfStatus(status: number, error: CloudError | null): SendOutcome {
  if (status >= 500 || status === 408) {
    return { outcome: 'later', scope: 'number', waitMs: TRANSIENT_WAIT_MS };
  }
  if (status === 429) return { outcome: 'later', scope: 'number', waitMs: NUMBER_WAIT_MS };
  if (error?.transient) return outcomeOfRule(transient(CHOKED), String(error.code));
  if (status === 401) return broken(BAD_TOKEN_REASON);
  if (status === 403) return broken(PERMISSION);
  // Without an error object it was not Graph that answered: a proxy, or a wrong base URL.
  if (error === null && (status === 404 || status < 400)) return broken(NOT_THE_API);
  const code = String(error?.code ?? status);
  return { outcome: 'refused', code, reason: `A rede recusou a mensagem (código ${code}).` };
}

/** The Portuguese sentence for an error that arrives in a status webhook. */
export function failureReason(error: CloudError): string {
  const rule = ruleOf(error);
  if (rule?.outcome === 'refused') return rule.reason;
  if (rule?.channelReason !== undefined) return rule.channelReason;
  return `A rede não entregou a mensagem (código ${error.code}).`;
}

/** Null where the error does not concern the whole channel. */
export function blockOf(error: CloudError): ChannelBlock | null {
  const rule = ruleOf(error);
  if (rule?.outcome !== 'later' || rule.channelReason === undefined) return null;
  const reason = rule.channelReason;
  return rule.unprobed === true ? { reason, holdMs: rule.waitMs } : { reason };
}
