/** The pause of a conversation's automation, which ends by the clock. */

/** The end of a pause that lasts at `at`; null where none does. */
export function pausedUntil(automationPausedUntil: string | null, at: number): string | null {
  if (automationPausedUntil === null) return null;
  return Date.parse(automationPausedUntil) > at ? automationPausedUntil : null;
}
