/** Servers that the files of one process use in turn end with the process. */

const ends: (() => Promise<unknown>)[] = [];

/** Runs once the last file of this process has ended. */
export function atEndOfProcess(end: () => Promise<unknown>): void {
  ends.push(end);
}

export async function endProcess(): Promise<void> {
  const ended = await Promise.allSettled(ends.map((end) => end()));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}
