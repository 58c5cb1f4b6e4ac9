/** A wait for a state of the service, in place of a fixed time. */
const POLL_MS = 50;
const TIMEOUT_MS = 300_000;

/** @throws {Error} naming `what` after five minutes */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`not in time: ${what}`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
