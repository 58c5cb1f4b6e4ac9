/**
 * Failed messages that the member has sent anew from this browser: each once. What is on its way is
 * among the pending messages; what was accepted is remembered here, after the session too.
 */
import { storedText, storeText } from '../../base/text-storage.ts';

/** Of a member; the oldest ones are forgotten, and their messages are far up in their threads. */
const KEPT_MAX = 500;

function nameOf(memberId: string): string {
  return `recado:resent:${memberId}`;
}

function idsOf(memberId: string): readonly string[] {
  return storedText(nameOf(memberId)).split(' ');
}

export function isResent(memberId: string, messageId: string): boolean {
  return idsOf(memberId).includes(messageId);
}

export function keepResent(memberId: string, messageId: string): void {
  const ids = idsOf(memberId).filter((id) => id !== messageId);
  storeText(nameOf(memberId), [...ids, messageId].slice(-KEPT_MAX).join(' '));
}
