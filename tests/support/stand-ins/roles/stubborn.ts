/** A role that hangs: only SIGKILL ends it, and it does not notice its supervisor's end. */
setInterval(() => performance.now(), 60_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
  process.on(signal, () => performance.now());
}
