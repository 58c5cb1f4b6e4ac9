/** `npm run advisories`: exits with 0 for none, 1 for some, 2 when the registry cannot say. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { readAdvisories } from './advisories.ts';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const ARGS = ['audit', '--omit=dev', '--json'];

const audit = spawn(NPM, ARGS, { stdio: ['ignore', 'pipe', 'ignore'] });
audit.once('error', () => audit.stdout.destroy());
const report = await text(audit.stdout).catch(() => '');
const advisories = readAdvisories(report);
if (!advisories.asked) {
  console.error(`Nothing was checked: the registry did not answer (${advisories.why}).`);
} else if (advisories.lines.length === 0) {
  console.log('The registry knows of no vulnerability in what the service is installed with.');
} else {
  for (const line of advisories.lines) console.log(line);
}
process.exitCode = advisories.asked ? Math.min(1, advisories.lines.length) : 2;
