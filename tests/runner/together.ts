/**
 * The process of many test files: `node --test together.ts WAY FILE...` loads each file into a
 * suite of its own, so that its hooks concern its own tests alone. The way says whether each file
 * waits for room. A suite takes only the tests that are declared before it returns: the files are
 * required, since an import would come later.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { before, suite } from 'node:test';
import { EACH_WITH_ROOM, waitForRoom } from './room.ts';

const require = createRequire(import.meta.url);
let current = 'no file yet';

/** The report names this file for a fault outside of every test. */
function tell(fault: unknown): void {
  const story = fault instanceof Error ? fault.stack : String(fault);
  process.stderr.write(`in ${current}, outside of its tests: ${story}\n`);
}

process.on('uncaughtExceptionMonitor', tell);
process.prependListener('unhandledRejection', tell);

const [way, ...paths] = process.argv.slice(2);
for (const path of paths) {
  suite(path, () => {
    before(async () => {
      current = path;
      if (way === EACH_WITH_ROOM) await waitForRoom();
    });
    require(resolve(path));
  });
}
