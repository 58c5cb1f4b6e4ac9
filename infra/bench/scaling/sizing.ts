/**
 * The sizing table of docs/scaling.md: installations of growing size, and the part that saturates
 * first.
 */
import { round } from '../rounds.ts';
import type { Cell, Column, Result, Table } from '../suite.ts';
import { checkedAgainst, costsOf, readReport } from './costs.ts';
import { type Costs, type Limits, limitsOf, type Parts, unevenness } from './model.ts';

const SHARE = 0.6;
const CORES_PER_PRIMARY = 16;
const CORES_PER_NATS_SERVER = 4;
const SIZES = [2, 10, 100, 1_000];
const PROCESSES = [2, 4, 8, 16, 32, 64, 128];
const MOST = 1_000;

export function sizingOf(file: string): Result {
  const report = readReport(file);
  const costs = costsOf(report);
  const checked = checkedTable(checkedAgainst(report, costs));
  return {
    tables: [costsTable(costs), checked, sizesTable(costs), unevennessTable()],
    notes: [
      `every core is run at ${SHARE * 100} % of what it can; above it queues grow`,
      `assumed: ${CORES_PER_PRIMARY} cores a MongoDB primary, ${CORES_PER_NATS_SERVER} a NATS server, at most`,
      'one subscription: a limit for each, not for all together',
    ],
  };
}

const plain = (name: string): Column => ({ name, unit: '' });
const perSecond = (name: string): Column => ({ name, unit: '/s' });

function costsTable({ byKind, ...costs }: Costs): Table {
  const kinds = Object.entries(byKind).map(([kind, ms]): Cell[] => [`kind ${kind}`, round(ms, 2)]);
  return {
    title: 'What a message costs, as measured',
    columns: [plain('part'), { name: 'a message', unit: 'ms of a core' }],
    rows: [...Object.entries(costs).map(([part, ms]): Cell[] => [part, round(ms, 2)]), ...kinds],
  };
}

function checkedTable(checked: ReturnType<typeof checkedAgainst>): Table {
  const ms = (name: string): Column => ({ name, unit: 'ms of a core' });
  return {
    title: 'The model against formations from which it takes nothing',
    columns: [
      ...['gateways + actors', 'part'].map(plain),
      ...['measured', 'by the model'].map(ms),
      plain('measured / model'),
    ],
    rows: checked.map(({ processes, part, measured, predicted }): Cell[] => [
      `${processes} + ${processes}`,
      part,
      ...[round(measured, 2), round(predicted, 2), round(measured / predicted, 2)],
    ]),
  };
}

function sizesTable(costs: Costs): Table {
  const rows = SIZES.flatMap((cores) => {
    const one = partsOf(cores);
    const many = enough(costs, one);
    const needed = one.primaries !== many.primaries || one.natsServers !== many.natsServers;
    return [one, ...(needed ? [many] : [])].map((parts) => rowOf(parts, limitsOf(costs, parts)));
  });
  return {
    title: 'Sizes, and what is at its limit first',
    columns: [
      ...['cores', 'primaries', 'NATS servers', 'actors processes'].map(plain),
      ...['cores', 'partitions', 'MongoDB', 'NATS', 'one subscription'].map(perSecond),
      plain('first'),
      perSecond('messages'),
    ],
    rows,
  };
}

/** MongoDB and NATS get no more cores than there are. */
function partsOf(cores: number): Parts {
  return {
    cores,
    primaries: 1,
    coresPerPrimary: Math.min(CORES_PER_PRIMARY, cores),
    natsServers: 1,
    coresPerNatsServer: Math.min(CORES_PER_NATS_SERVER, cores),
    share: SHARE,
  };
}

/** As many servers as keep MongoDB and NATS from being the first. */
function enough(costs: Costs, from: Parts): Parts {
  let parts = from;
  for (let step = 0; step < MOST; step++) {
    const { perSecond: limits, first } = limitsOf(costs, parts);
    const wanted = Math.min(limits.cores ?? 0, limits.partitions ?? 0);
    if (first === 'mongodb' && (limits.mongodb ?? 0) < wanted) {
      parts = { ...parts, primaries: parts.primaries + 1 };
    } else if (first === 'nats' && (limits.nats ?? 0) < wanted) {
      parts = { ...parts, natsServers: parts.natsServers + 1 };
    } else {
      return parts;
    }
  }
  throw new Error('no number of servers is enough');
}

function rowOf(parts: Parts, { processes, perSecond: limits, first, rate }: Limits): Cell[] {
  const names = ['cores', 'partitions', 'mongodb', 'nats', 'subscription'];
  return [
    parts.cores,
    parts.primaries,
    parts.natsServers,
    processes,
    ...names.map((name) => Math.round(limits[name] ?? Number.NaN)),
    first,
    Math.round(rate),
  ];
}

function unevennessTable(): Table {
  return {
    title: 'The busiest actors process, of its even part',
    columns: [plain('actors processes'), plain('busiest')],
    rows: PROCESSES.map((processes) => [processes, round(unevenness(processes), 2)]),
  };
}
