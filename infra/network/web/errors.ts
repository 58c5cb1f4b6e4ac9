/**
 * What each answer of the QR bridge (WAHA) means for a send. The bridge has no error codes of its
 * own: the status speaks, and the session's state in the body of a 422.
 */
import type { SendOutcome } from '../../../shared/network.ts';
import { parseRecord, textAt } from '../json-shape.ts';

const TRANSIENT_WAIT_MS = 5_000;
const NUMBER_WAIT_MS = 2_000;
const ACCOUNT_WAIT_MS = 15_000;

const KEY = 'A chave de acesso ao provedor do número é inválida.';
const NO_SESSION = 'A sessão não existe no provedor do número.';
const TIMELOCK = 'A rede suspendeu por um tempo o início de novas conversas por este número.';

const SESSION_REASONS: ReadonlyMap<string, string> = new Map([
  ['STOPPED', 'A sessão do número está parada.'],
  ['STARTING', 'A sessão do número está iniciando.'],
  ['SCAN_QR_CODE', 'O número está desconectado: leia o QR code novamente.'],
  ['PASSKEY_REQUIRED', 'O número pede uma chave de acesso (passkey) para conectar.'],
  ['PASSKEY_CONFIRMATION_REQUIRED', 'O número espera a confirmação da chave de acesso (passkey).'],
  ['FAILED', 'A sessão do número falhou e precisa ser reiniciada.'],
]);

/** Null when the session works; else why not, in Portuguese. */
export function sessionReason(status: string): string | null {
  if (status === 'WORKING') return null;
  return SESSION_REASONS.get(status) ?? 'A sessão do número não está conectada.';
}

/** What a complete answer other than 2xx means; nothing was sent. */
export function outcomeOfError(status: number, body: string): SendOutcome {
  if (reachOutLocked(body)) {
    // Repeating counts as another attempt to reach out and lengthens the lock.
    return { outcome: 'refused', code: '463', reason: TIMELOCK, channelReason: TIMELOCK };
  }
  if (status === 401 || status === 403) return closed(KEY);
  if (status === 404) return closed(NO_SESSION);
  if (status === 422) {
    const session = textAt(parseRecord(body) ?? {}, 'status');
    const reason = session === undefined ? null : sessionReason(session);
    if (reason !== null) return closed(reason);
  }
  if (status === 429) return { outcome: 'later', scope: 'number', waitMs: NUMBER_WAIT_MS };
  if (status >= 500 || status === 408) {
    return { outcome: 'later', scope: 'number', waitMs: TRANSIENT_WAIT_MS };
  }
  const code = String(status);
  return { outcome: 'refused', code, reason: `A rede recusou a mensagem (código ${code}).` };
}

function reachOutLocked(body: string): boolean {
  const root = parseRecord(body);
  if (root === null) return false;
  return textAt(root, 'code') === '463' || /\b463\b/.test(textAt(root, 'error') ?? '');
}

function closed(channelReason: string): SendOutcome {
  return { outcome: 'later', scope: 'account', waitMs: ACCOUNT_WAIT_MS, channelReason };
}
