/**
 * Refusal of a role to start: it reports the reason in one sentence and ends for good. A restart
 * would only repeat the sentence. So our supervisor ends with it, and systemd sees the exit code
 * (`RestartPreventExitStatus`).
 */

/** EX_CONFIG of sysexits.h. */
export const REFUSED_EXIT_CODE = 78;

interface Refusal {
  readonly refused: string;
}

/** Ends this process with the sentence, on standard error and to the supervisor. */
export async function refuseStart(sentence: string): Promise<never> {
  process.stderr.write(`${sentence}\n`);
  const refusal: Refusal = { refused: sentence };
  await new Promise<void>((resolve) => {
    if (process.connected) process.send?.(refusal, undefined, undefined, () => resolve());
    else resolve();
  });
  process.exit(REFUSED_EXIT_CODE);
}

/** The sentence of a message that a role has sent, or null for any other message. */
export function refusalIn(message: unknown): string | null {
  const sentence: unknown = Reflect.get(Object(message), 'refused');
  return typeof sentence === 'string' ? sentence : null;
}
