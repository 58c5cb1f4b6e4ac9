// Preloaded into the processes of tests (D201). By default node:test follows every promise to the
// test that made it, half of the processor time of a property over promises. An uncaught fault in a
// promise still fails its file; the output then names the file, not the test.
import asyncHooks from 'node:async_hooks';

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
