/** A secret that was shown once stands in no line of any log. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function assertInNoLog(dataDir: string, secrets: readonly string[]): void {
  const folder = join(dataDir, 'logs');
  const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  assert.ok(logs.length > 0);
  for (const secret of secrets) {
    assert.ok(secret.length > 20 && !logs.some((log) => log.includes(secret)));
  }
}
