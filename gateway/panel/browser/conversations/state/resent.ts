/**
 * Failed messages that the member has sent anew from this browser: each once. What is on its way is
 * among the pending messages; what was accepted is remembered here, after the session too.
 */
import { storedText, storeText } from '../../base/text-storage.ts';

/** Of a member; the oldest ones are forgotten, and their messages are far up in their threads. */
const KEPT_MAX = 500;

function resentName(memberId: string): string {
  return `recado:resent:${memberId}`;
}

function refusedName(memberId: string): string {
  return `recado:resend-refused:${memberId}`;
}

function idsIn(name: string): readonly string[] {
  return storedText(name).split(' ');
}

function keepIn(name: string, ids: readonly string[]): void {
  storeText(name, ids.slice(-KEPT_MAX).join(' '));
}

export function isResent(memberId: string, messageId: string): boolean {
  return idsIn(resentName(memberId)).includes(messageId);
}

export function keepResent(memberId: string, messageId: string): void {
  const name = resentName(memberId);
  keepIn(name, [...idsIn(name).filter((id) => id !== messageId), messageId]);
}

/** One key for every page: the server answers a repeat with the same message. */
export function resendKey(memberId: string, messageId: string): string {
  const refusals = idsIn(refusedName(memberId)).filter((id) => id === messageId).length;
  return ['resend', messageId, ...(refusals === 0 ? [] : [refusals])].join('-');
}

/** The server repeats the refusal under its key for a day: the next resend takes another. */
export function keepRefusedResend(memberId: string, messageId: string): void {
  const name = refusedName(memberId);
  keepIn(name, [...idsIn(name), messageId]);
}
