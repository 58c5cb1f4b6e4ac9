/**
 * The operator of a world's streams: narrows keys to a channel, revokes them and gives new tokens,
 * and has failed deliveries written again.
 */
import type { DeliveryDocument } from '../../../../actors/model/subscription.ts';
import type { Answer, Command } from '../../../../shared/ports/bus.ts';
import { applySeed } from '../operator.ts';
import { REF, type Shop } from '../organization.ts';
import type { SeededRandom } from '../world/seeded-random.ts';
import type { World } from '../world.ts';
import type { StreamPlan } from './plan.ts';
import type { StreamReader } from './reader.ts';

const AGAIN_MS = 300;
/** Commands of before do not come later than this. */
const LATE_MS = 8_000;
const RETRIES_EVERY_MS = 1_500;
const RETRIED_AT_ONCE = 5;

type Order = Omit<Command, 'id'> & Readonly<Record<string, unknown>>;

export class KeyOperator {
  readonly #world: World;
  readonly #shop: Shop;
  readonly #random: SeededRandom;
  /** Keys that reach one channel from now on. */
  readonly #narrowed = new Set<string>();
  #orders = 0;

  constructor(world: World, shop: Shop, random: SeededRandom) {
    this.#world = world;
    this.#shop = shop;
    this.#random = random;
  }

  get isBusy(): boolean {
    return this.#orders > 0;
  }

  /** Makes the keys of the streams; their ids by their refs. */
  async open(plans: readonly StreamPlan[]): Promise<ReadonlyMap<string, string>> {
    const keys = plans.map(({ ref, channel, token }) => keyOf(ref, channel, token));
    const answer = await this.#shop.ask(this.#organization, this.#applying(keys));
    if (answer.status !== 200) throw new Error(`the keys were refused: ${answer.body}`);
    const made: Readonly<Record<string, { readonly id: string }>> = JSON.parse(answer.body).keys;
    return new Map(Object.entries(made).map(([ref, { id }]) => [ref, id]));
  }

  /** What is planned for the time of work. */
  start(
    readers: readonly StreamReader[],
    keys: ReadonlyMap<string, string>,
    untilMs: number,
  ): void {
    const { scheduler } = this.#world;
    const { now } = scheduler;
    const at = (share: number): number => share * (untilMs - now);
    for (const reader of readers) {
      const { plan } = reader;
      const { narrowedAt, revokedAt } = plan;
      if (narrowedAt !== null) scheduler.after(at(narrowedAt), () => void this.#narrow(plan));
      if (revokedAt === null) continue;
      const keyId = keys.get(plan.ref) ?? '';
      const againMs = plan.renewedAfter === null ? null : at(plan.renewedAfter);
      scheduler.after(at(revokedAt), () => void this.#revoke(reader, keyId, againMs));
    }
    void this.#retry(readers, untilMs);
  }

  async #narrow({ ref }: StreamPlan): Promise<void> {
    this.#narrowed.add(ref);
    if (await this.#repeat(this.#applying([keyOf(ref, 'main')]))) this.#count('key narrowed');
  }

  async #revoke(reader: StreamReader, keyId: string, againMs: number | null): Promise<void> {
    const { ref, channel, nextToken } = reader.plan;
    await this.#repeat({ type: 'keys.revoke', keyId });
    this.#count('key revoked');
    if (againMs === null) return reader.renew(null);
    await this.#world.scheduler.pause(againMs);
    const key = keyOf(ref, this.#narrowed.has(ref) ? 'main' : channel, nextToken);
    await this.#repeat(this.#applying([key]));
    reader.renew(nextToken);
    this.#count('key renewed');
  }

  /** A revocation that came twice, late, has hit the key's next token: it gets another one. */
  async finish(readers: readonly StreamReader[], keys: ReadonlyMap<string, string>) {
    const { scheduler, streamObserver: observer } = this.#world;
    const renewed = readers.filter(({ plan }) => plan.revokedAt !== null && plan.renewedAfter);
    if (renewed.length === 0) return;
    this.#orders += 1;
    await scheduler.pause(LATE_MS);
    for (const reader of renewed) {
      const { ref, lastToken } = reader.plan;
      if (observer.reaches.get(keys.get(ref) ?? '')?.at(-1)?.isGood !== false) continue;
      await this.#repeat(this.#applying([{ ref, token: lastToken }]));
      reader.renew(lastToken);
    }
    this.#orders -= 1;
  }

  async #retry(readers: readonly StreamReader[], untilMs: number): Promise<void> {
    const { scheduler, database, slow } = this.#world;
    for (;;) {
      await scheduler.pause(this.#random.around(RETRIES_EVERY_MS * (slow ? 8 : 1)));
      if (scheduler.now >= untilMs) return;
      const { streamId } = this.#random.pick(readers);
      const failed = { subscriptionId: streamId, 'state.status': 'failed' };
      const found = database.find<DeliveryDocument>('deliveries', failed);
      const deliveryIds = this.#random
        .shuffled(found)
        .slice(0, RETRIED_AT_ONCE)
        .map(({ _id }) => _id);
      if (deliveryIds.length === 0) continue;
      const address = { kind: 'subscription', key: streamId } as const;
      await this.#ask(address, { type: 'retry', deliveryIds });
      this.#count('deliveries retried');
    }
  }

  get #organization() {
    return { kind: 'organization', key: this.#shop.orgId } as const;
  }

  #applying(keys: readonly unknown[]): Order {
    const seed = applySeed(this.#world.seed);
    return { type: 'apply', check: false, seed, organization: { ref: REF, keys } };
  }

  /** Until it is answered: the operator looks whether it was done. */
  async #repeat(order: Order): Promise<boolean> {
    for (;;) {
      const answer = await this.#ask(this.#organization, order);
      if (answer?.status === 200) return true;
      await this.#world.scheduler.pause(AGAIN_MS);
    }
  }

  async #ask(address: Parameters<Shop['ask']>[0], order: Order): Promise<Answer | null> {
    this.#orders += 1;
    const answer = await this.#shop.ask(address, order).catch(() => null);
    this.#orders -= 1;
    const said = `${order.type}: ${answer?.status ?? 'no answer'}`;
    this.#world.trace.record('operator', said);
    return answer;
  }

  #count(what: string): void {
    this.#world.coverage.count(`stream ${what}`);
  }
}

/** An entry of the provisioning file; without a token it stays as it is. */
function keyOf(ref: string, channel: string | null, token?: string) {
  const scope = channel === null ? { scope: 'account' } : { scope: 'channel', channel };
  return { ref, name: ref, ...scope, ...(token === undefined ? {} : { token }) };
}
