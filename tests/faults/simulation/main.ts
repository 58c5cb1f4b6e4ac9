/**
 * `npm run sim -- --seeds N [--from S] [--slow] [--until-broken] [--workers N] | --seed S
 * [--stacks]`: many worlds (with `--slow` those of slow time among them), or the story of one.
 * Exits with 1 when an invariant was broken, or when a batch covered too little.
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

const well =
  values.seed === undefined
    ? await printMany(Number(values.seeds), Number(values.from))
    : await printOne(Number(values.seed));
process.exit(well ? 0 : 1);
