/** The token in the simulator's address: `http://host:port/TOKEN`; null where there is none. */
export function tokenOf(sandboxUrl: string | undefined): string | null {
  const path = sandboxUrl === undefined ? '' : new URL(sandboxUrl).pathname;
  return /^\/([A-Za-z0-9_-]+)$/.exec(path)?.[1] ?? null;
}
