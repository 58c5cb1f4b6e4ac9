/**
 * Organizations as processes know them that do not own them: their documents, for admissions and
 * fan-out without an ask of the owner.
 *
 * 1. A view is used for two seconds from before its read, by its reader's monotonic clock.
 * 2. A change is answered once every live member has confirmed that it forgot its view, or after
 *    those two seconds: one that is stopped, or cut off, has none by then. So a key that was
 *    revoked admits nowhere any more, and a new subscription is told of every later commit.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { OrganizationState } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { sleep } from '../runtime/repeat.ts';
import { readOrganization } from './api.ts';
import { loadOrganization } from './documents.ts';

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
}

export class OrganizationViews {
  readonly #environment: Pick<Environment, 'store' | 'clock'>;
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

  #isFresh({ readAt }: Pick<View, 'readAt'>): boolean {
    return this.#environment.clock.monotonic() - readAt < FRESH_MS;
  }

  /** @param isLatest whether no change was announced meanwhile: the read may have missed it */
  async #load(
    orgId: string,
    before: View | undefined,
    isLatest: () => boolean,
  ): Promise<OrganizationState | null> {
    const { store, clock } = this.#environment;
    const readAt = clock.monotonic();
    const now = before ? await readOrganization(store, orgId, ['version']) : null;
    const isSame = before !== undefined && now?.version === before.state.version;
    const state = isSame ? before.state : await loadOrganization(store, orgId);
    if (!this.#isFresh({ readAt })) throw new Error(`organization ${orgId} was read too slowly`);
    if (state && isLatest()) this.#views.set(orgId, { state, readAt });
    return state;
  }

  #forget(orgId: string): void {
    this.#views.delete(orgId);
    this.#reads.delete(orgId);
  }
}

type ConfirmingEnvironment = Pick<Environment, 'bus' | 'clock' | 'log' | 'members'>;

/** Resolves when no process uses a view from before the call any more. */
export async function forgetEverywhere(
  environment: ConfirmingEnvironment,
  orgId: string,
): Promise<void> {
  const { bus, clock, log, members } = environment;
  const until = clock.monotonic() + FORGOTTEN_MS;
  const confirmed = new Set<string>();
  let [live, isDone]: [readonly string[] | null, boolean] = [null, false];
  while (!isDone) {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const check = () => {
      isDone = live?.every((id) => confirmed.has(id)) ?? false;
      if (isDone) resolve();
    };
    const onAnswer = (answer: unknown) => {
      if (isConfirmed(answer)) confirmed.add(answer.member);
      check();
    };
    const stop = bus.askAll(TOPIC, onAnswer, { orgId } satisfies Changed);
    try {
      live = await members.live();
      check();
    } catch (cause) {
      log.warn({ orgId, error: describe(cause) }, 'the members were not read');
    }
    const leftMs = until - clock.monotonic();
    if (leftMs <= 0) isDone = true;
    if (!isDone) await sleep(clock, Math.min(RETRY_MS, leftMs), done);
    stop();
  }
}
