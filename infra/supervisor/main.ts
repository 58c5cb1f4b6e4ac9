/**
 * `npm start`: runs the whole service on this machine and keeps it running.
 * Options: `--procfile FILE` runs other roles, `--no-demo` seeds nothing.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { configOrExit, environment } from '../config/process-config.ts';
import { createLog } from '../log/log.ts';
import { type Demo, seedDemo } from './demo.ts';
import { type Instance, prepareInstance } from './instance.ts';
import { DeathNotices } from './mark-dead.ts';
import { untilReady } from './readiness.ts';
import { StartRefused } from './start-refused.ts';
import { onStop } from './stop-signal.ts';
import { formatSummary } from './summary.ts';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));

const { values: options } = parseArgs({
  options: {
    procfile: { type: 'string', default: resolve(ROOT, 'Procfile') },
    'no-demo': { type: 'boolean', default: false },
  },
});
const config = configOrExit();
const log = createLog({ level: 'warn', role: 'supervisor' });

try {
  const instance = await prepareInstance({
    config,
    env: environment(),
    root: ROOT,
    procfile: options.procfile,
    notices: (mongodbUrl) => new DeathNotices(mongodbUrl, log),
    tell,
  });
  await run(instance);
} catch (error) {
  if (!(error instanceof StartRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function run(instance: Instance): Promise<void> {
  const { urls, notices } = instance;
  const stopping = new AbortController();
  onStop(async (reason) => {
    stopping.abort();
    tell(`stopping (${reason})`);
    await instance.stop();
    tell('stopped');
    process.exit(0);
  });
  instance.start();
  if (!(await untilReady(urls.baseUrl, stopping.signal))) return;
  const demo = options['no-demo'] ? null : await seedOrTell(instance);
  if (stopping.signal.aborted) return;
  const publicUrl = instance.env.PUBLIC_URL?.trim() ? config.publicUrl : urls.baseUrl;
  process.stdout.write(formatSummary({ ...urls, publicUrl, dataDir: config.dataDir, demo }));
  await notices.connect();
}

/** A service without a demo is still a service: the failure is told and the next start tries. */
async function seedOrTell({ env, notices }: Instance): Promise<Demo | null> {
  const hasOrganization = async () => {
    const { db } = await notices.connect();
    return (await db.collection('organizations').findOne({}, { projection: { _id: 1 } })) !== null;
  };
  try {
    return await seedDemo({ root: ROOT, dataDir: config.dataDir, env, hasOrganization });
  } catch (error) {
    tell(`no demo organization: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function tell(sentence: string): void {
  process.stderr.write(`recado: ${sentence}\n`);
}
