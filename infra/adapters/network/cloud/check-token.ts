/** Check of a token by Meta's own data: whether it is one, its permissions, its end. */
import { type ChannelFinding, fail, pass } from '../../../../shared/channel-check.ts';
import type { HttpAnswer } from '../http-caller.ts';
import { type JsonRecord, listAt, numberAt } from '../webhook-body.ts';
import { BAD_TOKEN_REASON, PERMISSION } from './codes.ts';
import { outcomeOfError, parseGraphError } from './send.ts';

/** `data` of `debug_token`; empty where Meta does not report it. */
export type TokenFacts = JsonRecord;

const SCOPES = ['whatsapp_business_messaging', 'whatsapp_business_management'];
/** A token of the app's start page ends after a day, one of a person after 60. */
const SHORT_MS = 7 * 86_400_000;
const MAKE_ONE = { code: 'makeToken', params: {} } as const;

/** Null where the token was accepted. */
export function refusedToken(answer: HttpAnswer): ChannelFinding | null {
  if (!answer.answered) return null;
  const error = parseGraphError(answer.body);
  if (error === null && answer.status < 400) return null;
  const outcome = outcomeOfError(answer.status, error);
  const reason = 'channelReason' in outcome ? outcome.channelReason : undefined;
  if (reason === BAD_TOKEN_REASON) {
    return fail('token', { code: 'tokenDead', params: {} }, MAKE_ONE);
  }
  if (reason !== PERMISSION) return null;
  const params = { graphCode: error?.code ?? answer.status };
  return fail('token', { code: 'tokenDenied', params }, { code: 'giveAsset', params: {} });
}

/** @param facts of an accepted token @param now epoch milliseconds */
export function checkToken(facts: TokenFacts, now: number): ChannelFinding {
  const granted = listAt(facts, 'scopes');
  const lacking = granted.length === 0 ? [] : SCOPES.filter((scope) => !granted.includes(scope));
  if (lacking.length > 0) {
    return fail('token', { code: 'tokenLacks', params: { scopes: lacking } }, MAKE_ONE);
  }
  const endsAt = (numberAt(facts, 'expires_at') ?? 0) * 1_000;
  const known = granted.length > 0;
  if (endsAt === 0) {
    return pass('token', { code: known ? 'tokenTaken' : 'tokenTakenUntold', params: {} });
  }
  const at = new Date(endsAt).toISOString();
  const detail = { code: 'tokenExpires', params: { at } } as const;
  const soon = endsAt - now < SHORT_MS;
  return soon ? fail('token', detail, MAKE_ONE) : pass('token', detail);
}
