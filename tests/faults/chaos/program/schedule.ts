/**
 * Schedule of a run's faults, drawn from its seed. Faults come singly every few seconds, overlap
 * sometimes, and each is healed after a while; killed parts are started again.
 */
import { LEASE_MS } from '../../../../shared/limits.ts';
import { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { BRIDGE_FAULT_KINDS, drawBridgeFaults } from './bridge-faults.ts';
import type { LinkFault } from './link.ts';
import { askedFor, type Deed, type PlannedFault, type ScheduleOptions } from './planned-fault.ts';
import { drawSetFaults } from './set-faults.ts';

const GAP_MS = { least: 3_000, most: 7_000 };
/** The last ones are healed within the run. */
const STOP_MS = { least: 1_000, most: 6_000 };
const DEGRADED_MS = { least: 1_000, most: 6_000 };

/** How likely each is. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ kill: 8, 'kill-some': 3, 'kill-all': 1, stop: 5, 'stop-some': 2, restart: 4 },
  ...{ delay: 3, stall: 3, mute: 2, deaf: 2, 'half-close': 2, cut: 3 },
};
const KINDS = Object.keys(WEIGHTS);
export const FAULT_KINDS = [...KINDS, ...BRIDGE_FAULT_KINDS];

export function drawSchedule(options: ScheduleOptions): readonly PlannedFault[] {
  const random = new SeededRandom(options.seed);
  const { kinds, partsOf } = askedFor(KINDS, options.only);
  const ofSet = options.hasSet ? drawSetFaults(options) : [];
  const faults: PlannedFault[] = [...drawBridgeFaults(options), ...ofSet];
  if (kinds.length === 0) return faults;
  const { lengthMs } = options;
  for (let atMs = 1_000; atMs < lengthMs; atMs += random.between(GAP_MS.least, GAP_MS.most)) {
    const kind = weighted(kinds, random);
    const fault = drawFault(kind, { ...options, parts: partsOf(kind) }, random);
    faults.push({ ...fault, kind, atMs, forMs: Math.min(fault.forMs, lengthMs - atMs) });
  }
  return faults;
}

function weighted(kinds: readonly string[], random: SeededRandom): string {
  const weightOf = (kind: string): number => WEIGHTS[kind] ?? 0;
  let rest = random.unit() * kinds.reduce((sum, kind) => sum + weightOf(kind), 0);
  for (const kind of kinds) {
    rest -= weightOf(kind);
    if (rest < 0) return kind;
  }
  throw new RangeError(`no such faults; there are ${FAULT_KINDS.join(', ')}`);
}

type Among = Pick<ScheduleOptions, 'processes' | 'links'> & { readonly parts: readonly string[] };
type Drawn = Pick<PlannedFault, 'forMs' | 'targets' | 'what'>;

function drawFault(kind: string, among: Among, random: SeededRandom): Drawn {
  const fits = (name: string) =>
    among.parts.length === 0 || among.parts.some((part) => name.includes(part));
  const processes = among.processes.filter(fits);
  const roles = [...new Set(processes.map(roleOf))];
  const stopMs = random.between(STOP_MS.least, STOP_MS.most);
  const kill: Deed = { deed: 'kill', noticed: random.happens(0.5) };
  switch (kind) {
    case 'kill':
      return { forMs: 0, targets: [oneOf(processes, roles, random)], what: kill };
    case 'kill-some':
      return { forMs: 0, targets: someOf(processes, roles, random), what: kill };
    case 'kill-all':
      return { forMs: 0, targets: among.processes, what: kill };
    case 'stop': {
      const target = oneOf(processes, roles, random);
      // An owner must be paused for longer than its lease to be declared dead.
      const forMs = roleOf(target) === 'actors' ? LEASE_MS + stopMs / 2 : stopMs;
      return { forMs, targets: [target], what: { deed: 'stop' } };
    }
    case 'stop-some':
      return { forMs: stopMs, targets: someOf(processes, roles, random), what: { deed: 'stop' } };
    case 'restart': {
      const role = random.pick(['gateway', 'actors']);
      const targets = among.processes.filter((name) => roleOf(name) === role);
      return { forMs: 0, targets, what: { deed: 'restart' } };
    }
    default:
      return drawLinkFault(kind, among.links.filter(fits), random);
  }
}

function drawLinkFault(kind: string, links: readonly string[], random: SeededRandom): Drawn {
  const forMs = random.between(DEGRADED_MS.least, DEGRADED_MS.most);
  // One link, or everything that one part is told by.
  const end = random.pick([...new Set(links.map(farEnd))]);
  const among = links.filter((link) => farEnd(link) === end);
  const targets = random.happens(0.3) ? among : aroundOne(among, random);
  return { forMs, targets, what: { deed: 'spoil', trouble: linkFaultOf(kind, random) } };
}

/** One link; of the routes between servers those of one server, which is then left alone. */
function aroundOne(links: readonly string[], random: SeededRandom): readonly string[] {
  const link = random.pick(links);
  const [server, ...others] = link.slice(0, link.indexOf(':')).split('+');
  if (others.length === 0 || server === undefined) return [link];
  const alone = random.pick([server, ...others]);
  return links.filter((each) => each.slice(0, each.indexOf(':')).split('+').includes(alone));
}

function linkFaultOf(kind: string, random: SeededRandom): LinkFault {
  switch (kind) {
    case 'stall':
    case 'mute':
    case 'deaf':
    case 'half-close':
    case 'cut':
      return { kind };
    default:
      return { kind: 'delay', ms: random.between(10, 400), jitterMs: random.between(0, 50) };
  }
}

/** Every role is as likely, however many processes it has. */
function oneOf(
  processes: readonly string[],
  roles: readonly string[],
  random: SeededRandom,
): string {
  const role = random.pick(roles);
  return random.pick(processes.filter((name) => roleOf(name) === role));
}

/** Two or three roles; all processes of each, or one. */
function someOf(
  processes: readonly string[],
  roles: readonly string[],
  random: SeededRandom,
): string[] {
  const chosen = random.shuffled(roles).slice(0, 2 + random.below(2));
  return chosen.flatMap((role) => {
    const mine = processes.filter((name) => roleOf(name) === role);
    return random.happens(0.5) ? mine : [random.pick(mine)];
  });
}

export function roleOf(name: string): string {
  return name.replace(/-\d+$/, '');
}

/** `actors-1:mongo` → `mongo`. */
export function farEnd(link: string): string {
  return link.slice(link.indexOf(':') + 1);
}
