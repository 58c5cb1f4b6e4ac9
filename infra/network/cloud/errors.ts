/**
 * What each error of the Cloud API means for a send and for the channel. This is the only place
 * that knows Meta's codes.
 *
 * 1. The code decides, never the HTTP status: throttles appear as 400, 403 and 429 in the wild.
 * 2. A code that is not listed falls back to the status (see `outcomeOfStatus`).
 * 3. Reasons are Portuguese: an API caller may read them. They never quote the network's text.
 */
import type { SendOutcome } from '../../../shared/network.ts';
import { isRecord, type JsonRecord, numberAt, parseRecord, recordAt } from '../json-shape.ts';

export interface CloudError {
  readonly code: number;
  readonly subcode?: number;
}

export type ErrorRule =
  | {
      readonly outcome: 'later';
      readonly scope: 'number' | 'pair' | 'account';
      readonly waitMs: number;
      readonly channelReason?: string;
      /** Why the message fails when the network goes on saying so of it. */
      readonly failure?: string;
    }
  | { readonly outcome: 'refused'; readonly reason: string; readonly channelReason?: string };

/** The first wait of 4^X seconds is too short against 1 message per 6 s; the caller raises it. */
const PAIR_WAIT_MS = 6_000;
const NUMBER_WAIT_MS = 1_000;
const TRANSIENT_WAIT_MS = 5_000;
const ACCOUNT_WAIT_MS = 60_000;

const pair = (waitMs: number): ErrorRule => ({ outcome: 'later', scope: 'pair', waitMs });
const number = (waitMs: number): ErrorRule => ({ outcome: 'later', scope: 'number', waitMs });
const transient = (): ErrorRule => ({
  outcome: 'later',
  scope: 'pair',
  waitMs: TRANSIENT_WAIT_MS,
  failure: CHOKED,
});
const account = (): ErrorRule => ({
  outcome: 'later',
  scope: 'account',
  waitMs: ACCOUNT_WAIT_MS,
});
const broken = (channelReason: string): ErrorRule => ({
  outcome: 'later',
  scope: 'account',
  waitMs: ACCOUNT_WAIT_MS,
  channelReason,
});
const refused = (reason: string): ErrorRule => ({ outcome: 'refused', reason });

const TOKEN = 'O token de acesso do número é inválido ou expirou.';
const PERMISSION = 'O token de acesso não tem permissão para enviar por este número.';
const LOCKED = 'A conta do WhatsApp Business está bloqueada por violação de políticas.';
const PAYMENT = 'Há uma pendência de pagamento na conta do WhatsApp Business.';
const UNREGISTERED = 'O número não está registrado na API do WhatsApp Business.';
const SPAM =
  'O número foi restringido pela rede por excesso de mensagens bloqueadas ou denunciadas.';
const PARAMETER = 'A rede recusou os dados da mensagem.';
const CHOKED = 'A rede falhou repetidas vezes ao enviar a mensagem.';
const TEMPLATE = 'O modelo de mensagem não existe, foi pausado ou não confere com os parâmetros.';

/** Every code of Meta's reference that a send or a status can carry, except the range 200–299. */
export const CLOUD_ERRORS: ReadonlyMap<number, ErrorRule> = new Map<number, ErrorRule>([
  [130429, number(NUMBER_WAIT_MS)],
  [131056, pair(PAIR_WAIT_MS)],
  [4, account()],
  [80007, account()],
  // These two may be about one message only: holding back the pair keeps the number's others going,
  // and what the network goes on choking on fails in the end.
  [1, transient()],
  [131000, transient()],
  [2, number(TRANSIENT_WAIT_MS)],
  [131016, number(TRANSIENT_WAIT_MS)],
  [131057, number(ACCOUNT_WAIT_MS)],
  [133004, number(TRANSIENT_WAIT_MS)],
  [131047, refused('Passaram mais de 24 horas desde a última mensagem do contato.')],
  [131026, refused('A mensagem não pode ser entregue: o contato pode não ter WhatsApp.')],
  [131049, refused('A rede limitou as mensagens de marketing para este contato.')],
  [131050, refused('O contato pediu para não receber mensagens de marketing.')],
  [131051, refused('A rede não aceita este tipo de mensagem.')],
  [131052, refused('A rede não conseguiu baixar a mídia.')],
  [131053, refused('A rede não aceitou a mídia enviada.')],
  [131008, refused(PARAMETER)],
  [131009, refused(PARAMETER)],
  [100, refused(PARAMETER)],
  [131021, refused('O destinatário é o próprio número do canal.')],
  [131030, refused('O destinatário não está na lista de números permitidos do número de teste.')],
  [131062, refused('Este contato só pode receber esta mensagem pelo número de telefone.')],
  [131048, { outcome: 'refused', reason: SPAM, channelReason: SPAM }],
  [131042, broken(PAYMENT)],
  [131031, broken(LOCKED)],
  [368, broken(LOCKED)],
  [190, broken(TOKEN)],
  [0, broken(TOKEN)],
  [3, broken(PERMISSION)],
  [10, broken(PERMISSION)],
  [131005, broken(PERMISSION)],
  [133010, broken(UNREGISTERED)],
  ...[132000, 132001, 132005, 132007, 132012, 132015, 132016].map((code): [number, ErrorRule] => [
    code,
    refused(TEMPLATE),
  ]),
]);

const UNKNOWN_PHONE_NUMBER_ID =
  'O phoneNumberId não existe ou o token de acesso não alcança este número.';
const NOT_THE_API = 'O endereço configurado não respondeu como a API do WhatsApp.';

/** The rule for a code; undefined when the status has to decide. */
function ruleOf(error: CloudError): ErrorRule | undefined {
  if (error.code === 100 && error.subcode === 33) return broken(UNKNOWN_PHONE_NUMBER_ID);
  if (error.code >= 200 && error.code <= 299) return broken(PERMISSION);
  return CLOUD_ERRORS.get(error.code);
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
  return subcode === undefined ? { code } : { code, subcode };
}

/** What a complete answer that refuses a send means; nothing was sent. */
export function outcomeOfError(status: number, error: CloudError | null): SendOutcome {
  const rule = error === null ? undefined : ruleOf(error);
  if (rule === undefined) return outcomeOfStatus(status, error);
  const code = String(error?.code ?? status);
  if (rule.outcome === 'refused') return { ...rule, code };
  const { failure, ...later } = rule;
  return failure === undefined ? later : { ...later, failure: { code, reason: failure } };
}

function outcomeOfStatus(status: number, error: CloudError | null): SendOutcome {
  if (status >= 500 || status === 408) {
    return { outcome: 'later', scope: 'number', waitMs: TRANSIENT_WAIT_MS };
  }
  if (status === 429) return { outcome: 'later', scope: 'number', waitMs: NUMBER_WAIT_MS };
  if (status === 401) return laterForChannel(TOKEN);
  if (status === 403) return laterForChannel(PERMISSION);
  // Without an error object it was not Graph that answered: a proxy, or a wrong base URL.
  if (error === null && (status === 404 || status < 400)) return laterForChannel(NOT_THE_API);
  const code = String(error?.code ?? status);
  return { outcome: 'refused', code, reason: `A rede recusou a mensagem (código ${code}).` };
}

function laterForChannel(channelReason: string): SendOutcome {
  return { outcome: 'later', scope: 'account', waitMs: ACCOUNT_WAIT_MS, channelReason };
}

/** The Portuguese sentence for an error that arrives in a status webhook. */
export function failureReason(error: CloudError): string {
  const rule = ruleOf(error);
  if (rule?.outcome === 'refused') return rule.reason;
  if (rule?.channelReason !== undefined) return rule.channelReason;
  return `A rede não entregou a mensagem (código ${error.code}).`;
}

/** Why the channel cannot send, if this error says so of the whole channel. */
export function channelReasonOf(error: CloudError): string | undefined {
  return ruleOf(error)?.channelReason;
}
