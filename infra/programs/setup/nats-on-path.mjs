// NATS servers that the machine has already.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NATS_SERVER, pathFolders } from './environment.mjs';
import { runCommand } from './run-command.mjs';

/** The lowest version that the service runs with. */
export const LOWEST = '2.9';

/**
 * The first server of the PATH that is new enough.
 * @param {(text: string) => void} say
 */
export async function findOnPath(say) {
  for (const folder of pathFolders()) {
    const file = join(folder, 'nats-server');
    // A link to itself would run nothing.
    if (file === NATS_SERVER || !existsSync(file)) continue;
    const version = await versionOf(file);
    if (version.length === 0) continue;
    if (!isOlder(version)) return file;
    say(`${file} ${version.join('.')} is older than ${LOWEST}, and left alone`);
  }
  return undefined;
}

function isOlder([major = 0, minor = 0]) {
  const [lowestMajor, lowestMinor] = LOWEST.split('.').map(Number);
  return major < lowestMajor || (major === lowestMajor && minor < lowestMinor);
}

/** `[major, minor, patch]`, empty for a file that does not run. */
export async function versionOf(file) {
  try {
    const text = await runCommand(file, ['--version']);
    return (/v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
  } catch {
    return [];
  }
}
