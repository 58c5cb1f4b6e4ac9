/**
 * Organizations as processes know them that do not own them: their documents, for admissions and
 * fan-out without an ask of the owner.
 *
 * 1. A view is used for two seconds from before its read, by its reader's monotonic clock, and
 *    under the lease of its read: whoever lost it was not waited for.
 * 2. A change is answered once every live member has confirmed that it forgot its view, or after
 *    those two seconds: one that is stopped, or cut off, has none by then. So a key that was
 *    revoked admits nowhere any more, and a new subscription is told of every later commit.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { OrganizationState } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { sleep } from '../runtime/repeat.ts';
import { loadOrganization } from './documents.ts';
import { readOrganization } from './read-organization.ts';

const TOPIC = 'organization-changed';
const FRESH_MS = 2_000;
/** Clocks of two machines do not run at quite the same speed. */
const FORGOTTEN_MS = FRESH_MS + 200;
/** A lost announcement is repeated. */
const RETRY_MS = 150;
const CACHED_MAX = 2_000;

interface Changed {
  readonly orgId: string;
}

interface Confirmed {
  readonly member: string;
}

function isChanged(payload: unknown): payload is Changed {
  return typeof payload === 'object' && payload !== null && 'orgId' in payload;
}

function isConfirmed(answer: unknown): answer is Confirmed {
  return typeof answer === 'object' && answer !== null && 'member' in answer;
}

interface View {
  readonly state: OrganizationState;
  /** Monotonic milliseconds, from before the read. */
  readonly readAt: number;
  /** Its reader's id then. */
  readonly member: string;
}

export class OrganizationViews {
  readonly #environment: Pick<Environment, 'store' | 'clock' | 'members'>;
  readonly #views = new GenerationalCache<string, View>(CACHED_MAX);
  readonly #reads = new Map<string, Promise<OrganizationState | null>>();

  /** Confirms changes from now on. */
  constructor(environment: Pick<Environment, 'bus' | 'store' | 'clock' | 'members'>) {
    this.#environment = environment;
    const { bus, members } = environment;
    bus.answerAll(TOPIC, async (changed): Promise<Confirmed> => {
      if (isChanged(changed)) this.#forget(changed.orgId);
      return { member: members.own() };
    });
  }

  /** The organization after every change that was answered before the call; null: there is none. */
  read(orgId: string): Promise<OrganizationState | null> {
    const view = this.#views.get(orgId);
    if (view && this.#isFresh(view)) return Promise.resolve(view.state);
    const known = this.#reads.get(orgId);
    if (known) return known;
    const isLatest = () => this.#reads.get(orgId) === reading;
    const reading = this.#load(orgId, view, isLatest).finally(() => {
      if (isLatest()) this.#reads.delete(orgId);
    });
    this.#reads.set(orgId, reading);
    return reading;
  }

  #isFresh({ readAt, member }: Pick<View, 'readAt' | 'member'>): boolean {
    const { clock, members } = this.#environment;
    return clock.monotonic() - readAt < FRESH_MS && member === members.own();
  }

  /** @param isLatest whether no change was announced meanwhile: the read may have missed it */
  async #load(
    orgId: string,
    before: View | undefined,
    isLatest: () => boolean,
  ): Promise<OrganizationState | null> {
    const { store, clock, members } = this.#environment;
    const read = { readAt: clock.monotonic(), member: members.own() };
    const now = before ? await readOrganization(store, orgId, ['version']) : null;
    const isSame = before !== undefined && now?.version === before.state.version;
    const state = isSame ? before.state : await loadOrganization(store, orgId);
    if (!this.#isFresh(read)) throw new Error(`organization ${orgId} was read too slowly`);
    if (state && isLatest()) this.#views.set(orgId, { state, ...read });
    return state;
  }

  #forget(orgId: string): void {
    this.#views.delete(orgId);
    this.#reads.delete(orgId);
  }
}

type ConfirmingEnvironment = Pick<Environment, 'bus' | 'clock' | 'log' | 'members'>;

/**
 * Resolves when no process uses a view from before the call any more. A list of members without
 * this process is of a moment without leases, and proves nothing.
 */
export async function forgetEverywhere(
  environment: ConfirmingEnvironment,
  orgId: string,
): Promise<void> {
  const { bus, clock, log, members } = environment;
  const until = clock.monotonic() + FORGOTTEN_MS;
  const confirmed = new Set<string>();
  /** A slow process answers after the next announcement. */
  const ends: (() => void)[] = [];
  let [live, isDone]: [readonly string[], boolean] = [[], false];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const check = () => {
    isDone = live.includes(members.own()) && live.every((id) => confirmed.has(id));
    if (isDone) resolve();
  };
  const onAnswer = (answer: unknown) => {
    if (isConfirmed(answer)) confirmed.add(answer.member);
    check();
  };
  while (!isDone) {
    ends.push(bus.askAll(TOPIC, onAnswer, { orgId } satisfies Changed));
    try {
      live = await members.live();
      check();
    } catch (cause) {
      log.warn({ orgId, error: describe(cause) }, 'the members were not read');
    }
    const remainingMs = until - clock.monotonic();
    if (remainingMs <= 0) isDone = true;
    if (!isDone) await sleep(clock, Math.min(RETRY_MS, remainingMs), done);
  }
  for (const end of ends) end();
}
