/**
 * `npm start`: runs the whole service on this machine and keeps it running.
 * Its options: `options.ts`. Exit 2: they are wrong; 1: it cannot start.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../adapters/clock/clock.ts';
import { createLog } from '../../../adapters/log/log.ts';
import { mongoHosts, partsOf } from '../../../adapters/mongo/address.ts';
import { natsSettings } from '../../../adapters/nats/access.ts';
import { anotherInstallation } from '../../../adapters/nats/sole-installation.ts';
import { configOrExit, environment } from '../../../config/process-config.ts';
import { DeathReporter } from './children/death-reporter.ts';
import { REFUSED_EXIT_CODE } from './children/refuse-start.ts';
import { onStop } from './children/stop-signal.ts';
import { type Seeded, seedDemo } from './demo/demo.ts';
import { type Instance, prepareInstance } from './instance.ts';
import { isSameInstallation } from './same-installation.ts';
import { readOptions, type StartOptions, UnknownOption, USAGE } from './start/options.ts';
import { reportStart } from './start/report-start.ts';
import { StartRefused } from './start/start-refused.ts';
import { formatSummary } from './start/summary.ts';

const ROOT = resolve(fileURLToPath(new URL('../../../..', import.meta.url)));

const options = optionsOrExit();
const config = configOrExit();
const log = createLog({ level: 'warn', role: 'supervisor' });

const stopping = new AbortController();
try {
  const instance = await prepareInstance({
    config,
    env: environment(),
    root: ROOT,
    procfile: options.procfile ?? resolve(ROOT, 'Procfile'),
    deathReporter: (mongodbUrl) => new DeathReporter(mongodbUrl, log),
    report,
  });
  await run(instance);
} catch (error) {
  // A stop cuts off the open requests to the store, and ends the process by itself.
  if (!stopping.signal.aborted) {
    if (!(error instanceof StartRefused)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function optionsOrExit(): StartOptions {
  try {
    const read = readOptions(process.argv.slice(2), environment());
    if (!read.help) return read;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UnknownOption)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

async function run(instance: Instance): Promise<void> {
  const { urls, deathReporter } = instance;
  const stop = onStop(async (reason) => {
    stopping.abort();
    report(`stopping (${reason})`);
    await instance.stop();
    report('stopped');
    process.exit(reason === 'refused' ? REFUSED_EXIT_CODE : 0);
  });
  const refuse = (sentence: string) => {
    if (stopping.signal.aborted) return;
    report(sentence);
    stop('refused');
  };
  void instance.refused.then(refuse);
  instance.start();
  const { probes } = instance;
  const { baseUrl } = urls;
  const { panelListensAt: panelUrl } = instance;
  const start = { baseUrl, panelUrl, probes, clock: systemClock, report, signal: stopping.signal };
  if (!(await reportStart(start))) return;
  const another = options.demo ? await otherInstallation(deathReporter) : null;
  if (another !== null) return refuse(another);
  const demo = options.demo ? await seedOrReport(instance) : null;
  if (stopping.signal.aborted) return;
  const publicUrl = instance.env.PUBLIC_URL?.trim() ? config.publicUrl : urls.baseUrl;
  const { dataDir, smtpUrl } = config;
  const mails = smtpUrl === undefined ? `${dataDir}/mail (no SMTP_URL)` : new URL(smtpUrl).host;
  const toTerminal = process.stdout.isTTY === true;
  process.stdout.write(formatSummary({ ...urls, publicUrl, dataDir, mails, demo, toTerminal }));
  if (demo === null && !(await hasOrganization(deathReporter))) report(emptyStore(urls.mongodbUrl));
  else await deathReporter.connect();
}

/** A wrong address or database is recognised by its missing data. */
function emptyStore(mongodbUrl: string): string {
  const { database } = partsOf(mongodbUrl);
  const named = database === null ? '' : `, database ${database},`;
  return (
    `the store at ${mongoHosts(mongodbUrl)}${named} holds no organization yet: ` +
    'npm run -s recado -- apply FILE makes one'
  );
}

async function hasOrganization(deathReporter: DeathReporter): Promise<boolean> {
  const first = await deathReporter.read((db) =>
    db.collection('organizations').findOne({}, { projection: { _id: 1 } }),
  );
  return first !== null;
}

/** Why the demo must not be made: another installation would get it. */
async function otherInstallation(deathReporter: DeathReporter): Promise<string | null> {
  const { natsUrl } = config;
  if (natsUrl === undefined) return null;
  const isSame = await isSameInstallation(natsSettings({ ...config, natsUrl }), deathReporter, log);
  return isSame ? null : anotherInstallation(natsUrl);
}

/**
 * The service also works without a demo: the failure is reported and the next start tries again.
 */
async function seedOrReport({ env, deathReporter, urls }: Instance): Promise<Seeded | null> {
  try {
    return await seedDemo({
      root: ROOT,
      dataDir: config.dataDir,
      env,
      hasOrganization: () => hasOrganization(deathReporter),
      hasPanel: urls.panelUrl !== null,
    });
  } catch (error) {
    report(`no demo organization: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function report(sentence: string): void {
  process.stderr.write(`recado: ${sentence}\n`);
}
