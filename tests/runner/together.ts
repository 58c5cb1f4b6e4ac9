/**
 * The process of many test files: `node --test together.ts FILE...` loads each file into a suite of
 * its own, so that its hooks concern its own tests alone. A suite takes only the tests that are
 * declared before it returns: the files are required, since an import would come later.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { suite } from 'node:test';

const require = createRequire(import.meta.url);

for (const path of process.argv.slice(2)) {
  suite(path, () => {
    require(resolve(path));
  });
}
