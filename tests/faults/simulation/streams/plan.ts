/**
 * Event streams of a world, by its seed: one world in three has one to three of them, each with a
 * key of its own. Their chance is theirs: a world without streams is the same as before.
 */
import { SeededRandom } from '../world/seeded-random.ts';

const EVERY = 3;
const SALT = 0x57e4;
const NAMES = ['erp', 'estoque', 'default'] as const;
const WAITING_MAX = 100_000;
/** So few that a reader's pause is enough for an overflow. */
const FEW_WAITING = { least: 5, most: 40 };

/** How a reader acknowledges: by the next connection, by a call, or by the results of each. */
const MANNERS = ['header', 'header', 'call', 'results'] as const;
export type Manner = (typeof MANNERS)[number];

const EVENTS = [
  '*',
  '*,message.delivered,message.read,message.failed,deal.reopened,contact.marketing_opt_out',
  'message.received,message.sent,deal.won,deal.lost',
  'conversation.assigned,conversation.resolved,conversation.reopened,contact.created,contact.updated',
] as const;

export interface StreamPlan {
  readonly name: string;
  /** Names its key in the provisioning file. */
  readonly ref: string;
  readonly token: string;
  /** After a revocation, and after another one. */
  readonly nextToken: string;
  readonly lastToken: string;
  /** Null: an account's. */
  readonly channel: 'main' | null;
  readonly events: string;
  readonly manner: Manner;
  /** Of the time of work; null: never. */
  readonly narrowedAt: number | null;
  readonly revokedAt: number | null;
  /** How long it stays revoked, as a share of the time of work; null: for good. */
  readonly renewedAfter: number | null;
}

export function hasStreams(seed: number): boolean {
  return seed % EVERY === 1;
}

/** The bound of what waits in a stream. */
export function waitingMaxOf(seed: number): number {
  const random = randomOf(seed);
  const few = Math.round(random.between(FEW_WAITING.least, FEW_WAITING.most));
  return hasStreams(seed) && random.happens(0.4) ? few : WAITING_MAX;
}

export function streamsOf(seed: number): readonly StreamPlan[] {
  if (!hasStreams(seed)) return [];
  const random = randomOf(seed).branch();
  return NAMES.slice(0, 1 + random.below(NAMES.length)).map((name) => {
    const channel = random.happens(0.3) ? 'main' : null;
    const isRevoked = random.happens(0.35);
    return {
      ...{ name, ref: `leitor-${name}`, channel },
      token: `token-of-a-reader-of-${name}-0123456789`,
      nextToken: `next-token-of-a-reader-of-${name}-0123456789`,
      lastToken: `last-token-of-a-reader-of-${name}-0123456789`,
      events: random.pick(EVENTS),
      manner: random.pick(MANNERS),
      narrowedAt: channel === null && random.happens(0.5) ? random.between(0.2, 0.9) : null,
      revokedAt: isRevoked ? random.between(0.2, 0.8) : null,
      renewedAfter: random.happens(0.8) ? random.between(0.02, 0.3) : null,
    };
  });
}

/** Of the readers themselves. */
export function readersRandom(seed: number): SeededRandom {
  return new SeededRandom(seed ^ SALT).branch();
}

function randomOf(seed: number): SeededRandom {
  return new SeededRandom((seed ^ SALT) + 1);
}
