/**
 * The process of several test files: each is loaded into a suite of its own, so that its hooks
 * concern its own tests alone. A suite takes only the tests that are declared before it returns:
 * the files are required, since an import would come later.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { after, before, suite } from 'node:test';
import { endProcess } from './support/end-of-process.ts';

const require = createRequire(import.meta.url);
let current = 'no file yet';

/** The report names this file for a fault outside of every test. */
function tell(fault: unknown): void {
  const story = fault instanceof Error ? fault.stack : String(fault);
  process.stderr.write(`in ${current}, outside of its tests: ${story}\n`);
}

process.on('uncaughtExceptionMonitor', tell);
process.prependListener('unhandledRejection', tell);

for (const path of process.argv.slice(2)) {
  suite(path, () => {
    before(() => {
      current = path;
    });
    require(resolve(path));
  });
}
after(endProcess);
