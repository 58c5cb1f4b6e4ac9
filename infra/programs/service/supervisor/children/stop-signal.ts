/**
 * How a process learns that it should end: a signal, or the death of its supervisor, which closes
 * the channel to its children. Whichever comes first counts, and it counts once: the same signal
 * may arrive twice, from the supervisor and from a terminal's process group.
 */

export type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'supervisor gone' | 'refused';

/**
 * Calls `stop` once, with the cause of the request. A failing `stop` ends the process with code 1.
 * @returns asks for the stop from inside the process
 */
export function onStop(stop: (reason: StopReason) => Promise<void>): (reason: StopReason) => void {
  let asked = false;
  const ask = (reason: StopReason) => {
    if (asked) return;
    asked = true;
    stop(reason).catch((error: unknown) => {
      process.stderr.write(`stopping failed: ${String(error)}\n`);
      process.exit(1);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => ask(signal));
  }
  // Without a supervisor there is no channel, and the event never comes.
  process.once('disconnect', () => ask('supervisor gone'));
  // Listening to the channel must not keep alive a process that has nothing else to do.
  process.channel?.unref();
  return ask;
}
