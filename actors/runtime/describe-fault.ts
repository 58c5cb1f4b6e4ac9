/** A fault in words, for the log: its stack, and those of its causes. */
export function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const cause = fault.cause === undefined ? '' : ` (cause: ${describe(fault.cause)})`;
  return `${fault.stack ?? fault.message}${cause}`;
}
