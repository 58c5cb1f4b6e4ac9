// Preloaded into the processes of tests. A connection or timer that a failed test left open keeps
// its process running for ever, and the whole run with it. Such a process ends with an error two
// minutes after its last test; `tests/main.ts` ends a run of which nothing is heard. One that ends
// before its last test, by a call of `process.exit` too, ends with an error: its other tests were
// not run.

const AFTER_LAST_TEST_MS = 2 * 60_000;

/** True in the process of one test file, false in the one that runs them all. */
function isTestFile() {
  return process.env.NODE_TEST_CONTEXT !== undefined;
}

function endWithError() {
  const open = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`this file still runs two minutes after its last test; open are ${open}\n`);
  process.exit(1);
}

if (isTestFile()) {
  const { after } = await import('node:test');
  let hasEnded = false;
  process.once('exit', () => {
    if (!hasEnded) process.exitCode = 1;
  });
  after(() => {
    hasEnded = true;
    setTimeout(endWithError, AFTER_LAST_TEST_MS).unref();
  });
}
