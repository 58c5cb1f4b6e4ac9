/** Clock and chance of a page: the only file of the browser that reaches for them. */

export function now(): number {
  return Date.now();
}

/** Calls back once; the result cancels. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Calls back again and again; the result cancels. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

/** At least 0 and less than 1. */
export function chance(): number {
  return Math.random();
}

/** 128 bits. `randomUUID` is missing over plain HTTP. */
export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
