/** Options of Node.js for processes of test files; a runner's processes inherit them. */
export const PRELOADED = [
  ...['--import', './tests/preloaded/untracked-promises.mjs'],
  ...['--import', './tests/preloaded/hung-files.mjs'],
];
