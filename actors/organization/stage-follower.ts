/**
 * The deals of removed stages follow to the stages in their place, in the background (D440).
 *
 * 1. A removed stage is marked `moving` in the commit that removes it, and until no deal is left
 *    there. The organization's owner goes on where the one before it ended: what is left to do is
 *    what the store still has in that stage.
 * 2. Deals are read once every process knows that the stage is gone. A turn that did not know looks
 *    at its deal again after its commit (`deal/actor.ts`), so one of the two sees the other.
 * 3. A step moves `STEP` deals, a few at once, of each organization in turn.
 */
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { LeftStage } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import type { FollowStage } from '../model/deal.ts';
import type { StageFollowed } from '../model/organization.ts';
import { describe } from '../runtime/describe-fault.ts';
import { askUntilAcknowledged, RunAgain, sleep } from '../runtime/repeat.ts';
import { forgetEverywhere } from './views.ts';

/** Deals that one step moves. */
const STEP = 50;
/** Deals that are asked at the same moment. */
const AT_ONCE = 5;
/** Leaves the store and the actors to other work. */
const PAUSE_MS = 20;
const RETRY_MS = 1_000;
const MOVING = { 'leftStages.moving': true } as const;
const OF_STAGES = { sort: { _id: 1 }, project: { leftStages: 1 } } as const;
/** Organizations of one look. */
const ORGANIZATIONS = 100;
const DEALS_OF_STAGE = {
  index: { 'state.orgId': 1, 'state.stageId': 1, 'state.pipelineId': 1, 'state.status': 1 },
  limit: STEP,
  project: { _id: 1 },
} as const;
const FAILED = 'a deal did not follow its stage';

interface Moving {
  readonly orgId: string;
  readonly left: LeftStage;
}

type FollowerEnvironment = Pick<
  Environment,
  'store' | 'bus' | 'clock' | 'ids' | 'log' | 'leaseHeld' | 'members'
>;

export class StageFollower {
  readonly #environment: FollowerEnvironment;
  readonly #onAsked: (deals: number) => void;
  /** Owned partitions of organizations. */
  readonly #partitions = new Set<number>();
  /** Deals that have followed, by a removal of which every process knows. */
  readonly #known = new Map<string, number>();
  readonly #running = new RunAgain(
    () => this.#untilDone(),
    (fault) => this.#failed(fault),
  );

  constructor(environment: FollowerEnvironment, onAsked: (deals: number) => void) {
    this.#environment = environment;
    this.#onAsked = onAsked;
  }

  acquire(partition: number): void {
    this.#partitions.add(partition);
    this.request();
  }

  release(partition: number): void {
    this.#partitions.delete(partition);
  }

  /** A stage may have been removed. */
  request(): void {
    void this.#running.request();
  }

  #failed(fault: unknown): void {
    const { clock, log } = this.#environment;
    log.warn({ error: describe(fault) }, FAILED);
    clock.after(RETRY_MS, () => this.request());
  }

  async #untilDone(): Promise<void> {
    const { clock } = this.#environment;
    while (await this.#step()) await sleep(clock, PAUSE_MS);
  }

  /** One step of every removed stage; false when none is left. */
  async #step(): Promise<boolean> {
    let isMore = false;
    for (const moving of await this.#moving()) {
      if (!this.#mayAct(moving.orgId)) continue;
      await this.#follow(moving);
      isMore = true;
    }
    return isMore && this.#environment.leaseHeld();
  }

  async #moving(): Promise<readonly Moving[]> {
    const { store, leaseHeld } = this.#environment;
    const found: Moving[] = [];
    for (let last = ''; leaseHeld(); ) {
      const filter = { ...MOVING, _id: { $gt: last } };
      const page = await store.find('organizations', filter, {
        ...OF_STAGES,
        limit: ORGANIZATIONS,
      });
      for (const { _id: orgId, leftStages = [] } of page) {
        for (const left of leftStages) if (left.moving === true) found.push({ orgId, left });
      }
      last = page.at(-1)?._id ?? '';
      if (page.length < ORGANIZATIONS) break;
    }
    return found;
  }

  #mayAct(orgId: string): boolean {
    return (
      this.#environment.leaseHeld() && this.#partitions.has(partitionOf('organization', orgId))
    );
  }

  async #follow({ orgId, left }: Moving): Promise<void> {
    const { store } = this.#environment;
    const key = `${orgId} ${left.id} ${left.commandId}`;
    if (!this.#known.has(key)) {
      await forgetEverywhere(this.#environment, orgId);
      this.#known.set(key, 0);
    }
    const filter = { 'state.orgId': orgId, 'state.stageId': left.id };
    const deals = await store.find('deals', filter, DEALS_OF_STAGE);
    for (let from = 0; from < deals.length && this.#mayAct(orgId); from += AT_ONCE) {
      const some = deals.slice(from, from + AT_ONCE);
      await Promise.all(some.map(({ _id }) => this.#askDeal(orgId, _id)));
    }
    const count = (this.#known.get(key) ?? 0) + deals.length;
    this.#known.set(key, count);
    this.#onAsked(deals.length);
    if (deals.length > 0 || !this.#mayAct(orgId)) return;
    await this.#settle(orgId, left, count);
    this.#known.delete(key);
  }

  async #askDeal(orgId: string, deal: string): Promise<void> {
    const { ids } = this.#environment;
    const command: FollowStage = { id: ids.fresh('cmd'), type: 'follow', orgId };
    await askUntilAcknowledged(this.#environment, {
      ...{ to: { kind: 'deal', key: deal } as const, command },
      ...{ mayAct: () => this.#mayAct(orgId), failedMessage: FAILED },
    });
  }

  /** No deal is left there, and none can enter it any more. */
  async #settle(orgId: string, { id: stageId, commandId }: LeftStage, deals: number) {
    const { ids, log } = this.#environment;
    const head = { id: ids.fresh('cmd'), type: 'stage-followed' } as const;
    const command: StageFollowed = { ...head, stageId, commandId };
    await askUntilAcknowledged(this.#environment, {
      ...{ to: { kind: 'organization', key: orgId } as const, command },
      ...{ mayAct: () => this.#mayAct(orgId), failedMessage: FAILED },
    });
    log.info({ orgId, stageId, deals }, 'the deals of a removed stage have followed');
  }
}
