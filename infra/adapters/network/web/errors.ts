/**
 * Meaning of the QR bridge's (WAHA) answers other than 2xx. The bridge has no error codes of its
 * own. The status decides, the session's state in the body of a 422, or the sentence of the
 * engine's exception. That exception always comes as HTTP 500.
 *
 * 1. A 5xx to a send is ambiguous: engines also throw after they have sent. Only a 501, or a
 *    sentence that is known to be final, refuses the message.
 * 2. A sentence is read where the bridge puts it, never in `request`, which repeats our own body.
 */

import { networkFault } from '../../../../shared/network-fault.ts';
import type { SendOutcome } from '../../../../shared/ports/network.ts';
import { faultOfStatus, withFault } from '../answered-fault.ts';
import { type JsonRecord, listAt, parseRecord, recordAt, textAt } from '../webhook-body.ts';

const TRANSIENT_WAIT_MS = 5_000;
const NUMBER_WAIT_MS = 2_000;
const ACCOUNT_WAIT_MS = 15_000;

export const RESTRICTED_CODE = '463';
export const RESTRICTED =
  'A rede suspendeu por um tempo o início de novas conversas por este número.';
const KEY = 'A chave de acesso ao provedor do número é inválida.';
const NO_SESSION = 'A sessão não existe no provedor do número.';
const UNSUPPORTED = 'O provedor do número não oferece este tipo de envio.';

/** After a restart of the bridge: it passes. */
export const STARTING = 'STARTING';
const SESSION_REASONS: ReadonlyMap<string, string> = new Map([
  ['STOPPED', 'A sessão do número está parada.'],
  [STARTING, networkFault('starting').reason],
  ['SCAN_QR_CODE', 'O número está desconectado: leia o QR code novamente.'],
  ['PASSKEY_REQUIRED', 'O número pede uma chave de acesso (passkey) para conectar.'],
  ['PASSKEY_CONFIRMATION_REQUIRED', 'O número espera a confirmação da chave de acesso (passkey).'],
  ['FAILED', 'A sessão do número falhou e precisa ser reiniciada.'],
]);

interface Sentence {
  readonly says: RegExp;
  readonly code: string;
  readonly reason: string;
}

/** Sentences that no repeat changes; nothing was sent. */
const FINAL: readonly Sentence[] = [
  {
    // whatsmeow and wwebjs (WAHA #1714, #2214).
    says: /\bno LID (?:found )?for\b/i,
    code: 'no_lid',
    reason: 'A rede não reconhece o contato: o número pode não ter WhatsApp.',
  },
  {
    says: /\binvalid wid\b/i,
    code: 'invalid_wid',
    reason: 'A rede não reconhece o número do contato.',
  },
];

/** WAHA's `NotImplementedByEngineError` and `AvailableInPlusVersion`, and an unknown path. */
const NOT_SUPPORTED =
  /not implemented by (?:the|'\w+') engine|available only in plus|^Cannot (?:GET|POST|PUT) /i;
const NOT_IMPLEMENTED = 501;
/** WAHA's 422 to a call for a session that it does not have, after it has waited for it. */
const NO_SUCH_SESSION = /^session\b.*\bdoes not exist/i;
const RESTRICTED_SENTENCE = /\berro?r?\W+463\b/i;
const NOTHING_FOUND = /no rows in result set|\bmessage\b.*\bnot found\b/i;
const SESSION_UNKNOWN = /\bsession\b/i;

/** Null when the session works; else why not, in Portuguese. */
export function sessionReason(status: string): string | null {
  if (status === 'WORKING') return null;
  return SESSION_REASONS.get(status) ?? 'A sessão do número não está conectada.';
}

type Answered = Extract<SendOutcome, { outcome: 'refused' | 'later' }>;

const LACKING: Answered = { outcome: 'refused', code: 'unsupported', reason: UNSUPPORTED };

/** A complete answer other than 2xx to a send; in doubt unless the answer rules it out. */
export function outcomeOfSend(status: number, body: string): SendOutcome {
  const root = parseRecord(body) ?? {};
  if (isRestricted(root)) {
    // Repeating counts as another attempt to reach out and lengthens the lock.
    const restriction = { until: null };
    return { outcome: 'refused', code: RESTRICTED_CODE, reason: RESTRICTED, restriction };
  }
  const sentences = sentencesOf(root);
  const final = FINAL.find(({ says }) => sentences.some((sentence) => says.test(sentence)));
  if (final !== undefined) return { outcome: 'refused', code: final.code, reason: final.reason };
  if (isUnsupported(status, body)) return LACKING;
  if (status >= 500 || (status === 422 && unavailability(root) === null)) {
    return { outcome: 'unknown', cause: `status ${status}`, ...faultOfStatus(status) };
  }
  return outcomeOfLookup(status, body);
}

/** The same for a question: nothing was sent by it, so every outcome is a sure one. */
export function outcomeOfLookup(status: number, body: string): Answered {
  const isStarting = textAt(parseRecord(body) ?? {}, 'status') === STARTING;
  const passing =
    status === 401 || status === 403 ? 'unauthorized' : isStarting ? 'starting' : null;
  return withFault(classifyRefusal(status, body), { status, cause: `status ${status}`, passing });
}

function classifyRefusal(status: number, body: string): Answered {
  const root = parseRecord(body) ?? {};
  if (status === 401 || status === 403) return unavailable(KEY);
  if (status === NOT_IMPLEMENTED) return LACKING;
  if (status === 404 && !isUnsupported(status, body)) return unavailable(NO_SESSION);
  if (status === 422) {
    const reason = unavailability(root);
    if (reason !== null) return unavailable(reason);
  }
  if (status === 429) return { outcome: 'later', scope: 'number', waitMs: NUMBER_WAIT_MS };
  if (status >= 500 || status === 408) {
    return { outcome: 'later', scope: 'number', waitMs: TRANSIENT_WAIT_MS };
  }
  const code = String(status);
  return { outcome: 'refused', code, reason: `A rede recusou a mensagem (código ${code}).` };
}

/** Whether the bridge has no such call: an answer that rules out that it did anything. */
export function isUnsupported(status: number, body: string): boolean {
  if (status === NOT_IMPLEMENTED) return true;
  return sentencesOf(parseRecord(body) ?? {}).some((sentence) => NOT_SUPPORTED.test(sentence));
}

/** Whether a 404 is about the session, not about the requested object. */
export function isSessionUnknown(body: string): boolean {
  return sentencesOf(parseRecord(body) ?? {}).some((sentence) => SESSION_UNKNOWN.test(sentence));
}

/** GOWS reads its database: an id that is not there is an exception. */
export function isNothingFound(body: string): boolean {
  const sentences = sentencesOf(parseRecord(body) ?? {});
  return sentences.some((sentence) => NOTHING_FOUND.test(sentence));
}

/** Why the session of a 422 takes nothing, in Portuguese; null: the answer does not say it. */
function unavailability(root: JsonRecord): string | null {
  const status = textAt(root, 'status');
  if (status !== undefined) return sessionReason(status);
  const isMissing = sentencesOf(root).some((sentence) => NO_SUCH_SESSION.test(sentence));
  return isMissing ? NO_SESSION : null;
}

/** `exception` is of a 500, `message` and `error` of the bridge's own refusals. */
function sentencesOf(root: JsonRecord): string[] {
  const exception = recordAt(root, 'exception');
  const reported = [
    textAt(exception, 'message'),
    textAt(exception, 'details'),
    textAt(root, 'message'),
    textAt(root, 'error'),
    ...listAt(root, 'message').map((each) => (typeof each === 'string' ? each : undefined)),
  ];
  return reported.filter((sentence) => sentence !== undefined);
}

function isRestricted(root: JsonRecord): boolean {
  const codes = [textAt(root, 'code'), textAt(recordAt(root, 'exception'), 'code')];
  return (
    codes.includes(RESTRICTED_CODE) ||
    sentencesOf(root).some((sentence) => RESTRICTED_SENTENCE.test(sentence))
  );
}

function unavailable(channelReason: string): Extract<SendOutcome, { outcome: 'later' }> {
  return { outcome: 'later', scope: 'account', waitMs: ACCOUNT_WAIT_MS, channelReason };
}
