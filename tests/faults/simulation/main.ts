/**
 * `npm run sim -- --seeds N [--from S] [--slow] [--until-broken] [--workers N] | --seed S
 * [--stacks]`: many worlds (with `--slow` those of slow time among them), or the story of one.
 * Exits with 1 when an invariant was broken, or when a batch covered too little.
 *
 * `npm run sim -- --installation [--seed S] [--processes N] [--organizations N] [--numbers N]
 * [--racks N] [--restarts N] [--mongo-cores N]`: a large installation's placement and membership.
 */
import { parseArgs } from 'node:util';
import { runBatch } from './batch.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    slow: { type: 'boolean', default: false },
    stacks: { type: 'boolean', default: false },
    'until-broken': { type: 'boolean', default: false },
    workers: { type: 'string' },
    installation: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1000' },
    organizations: { type: 'string', default: '100000' },
    numbers: { type: 'string', default: '10000000' },
    racks: { type: 'string', default: '20' },
    restarts: { type: 'string', default: '3' },
    'mongo-cores': { type: 'string', default: '16' },
  },
});

async function printOne(seed: number): Promise<boolean> {
  const { stacks } = values;
  const { simulate } = await import('./simulate.ts');
  const outcome = await simulate(seed, { traced: true, stacks });
  const again = await simulate(seed, { stacks });
  for (const line of outcome.trace) console.log(line);
  console.log(`seed ${seed}: ${outcome.calls} calls, ${outcome.events} events, ${outcome.digest}`);
  if (again.digest !== outcome.digest) console.log('the seed did not replay identically');
  return outcome.violations.length === 0 && again.digest === outcome.digest;
}

async function printMany(count: number, from: number): Promise<boolean> {
  const { slow: slowOnly, 'until-broken': untilBroken, workers } = values;
  const threads = workers === undefined ? {} : { workers: Number(workers) };
  const batch = await runBatch({ from, count, untilBroken, slowOnly, ...threads });
  for (const line of batch.report) console.log(line);
  return batch.failures.length === 0;
}

async function printInstallation(): Promise<boolean> {
  const { linesOf, simulateInstallation } = await import('./installation/report.ts');
  const size = {
    seed: Number(values.seed ?? 1),
    processes: Number(values.processes),
    organizations: Number(values.organizations),
    numbers: Number(values.numbers),
    racks: Number(values.racks),
    restarts: Number(values.restarts),
    mongoCores: Number(values['mongo-cores']),
  };
  const done = await simulateInstallation(size);
  for (const line of linesOf(size, done)) console.log(line);
  return done.overlaps === 0;
}

function print(): Promise<boolean> {
  if (values.installation) return printInstallation();
  if (values.seed !== undefined) return printOne(Number(values.seed));
  return printMany(Number(values.seeds), Number(values.from));
}

const code = (await print()) ? 0 : 1;
// A pipe takes some 280 lines at once: to exit at once would drop the rest of a longer story.
process.stdout.write('', () => process.exit(code));
