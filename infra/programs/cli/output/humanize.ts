/** Readable times and outcomes for tables. */

const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  dns: 'name not found',
  refused: 'connection refused',
  reset: 'connection reset',
  tls: 'TLS failed',
  network: 'network failed',
  blocked_address: 'address not allowed',
  interrupted: 'interrupted',
};

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

export interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
}

/** `3 min`, `2 h`: whole units of the largest that fits. */
function span(ms: number): string {
  const [unitMs, name] = UNITS.find(([each]) => ms >= each) ?? [1_000, 's'];
  return `${Math.floor(ms / unitMs)} ${name}`;
}

/** `3 min ago`, `in 2 h`. */
export function fromNow(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  if (Math.abs(ms) < 1_000) return 'now';
  return ms < 0 ? `${span(-ms)} ago` : `in ${span(ms)}`;
}

/** `answered 500`, `timed out`. */
export function humanizeOutcome({ status, error }: Pick<Attempt, 'status' | 'error'>): string {
  if (status !== null) return `answered ${status}`;
  const kind = (error ?? '').split(':')[0] ?? '';
  return FAILURES[kind] ?? (error === null ? 'no answer' : error);
}

/** Of the newest attempt: `answered 500, 3 min ago`. */
export function humanizeLastAttempt(attempts: readonly Attempt[], now: number): string {
  const last = attempts.at(-1);
  return last ? `${humanizeOutcome(last)}, ${fromNow(last.at, now)}` : 'none yet';
}

/** `2026-05-04 12:00:00`, in UTC. */
export function moment(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}
