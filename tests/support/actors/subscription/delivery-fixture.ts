/**
 * Subscriptions with their agenda in memory. The test moves the clock, scripts the subscribers'
 * answers, and opens and closes owners. The organization's answer to a disabling is simulated.
 */

import assert from 'node:assert/strict';
import type {
  OrganizationState,
  SubscriptionEntry,
} from '../../../../actors/domain/organization.ts';
import type { Environment } from '../../../../actors/environment.ts';
import type { DisableSubscription } from '../../../../actors/model/organization.ts';
import type { AttemptLogPage, DeliveryDocument } from '../../../../actors/model/subscription.ts';
import { DuePoller } from '../../../../actors/runtime/due-poller.ts';
import type { Actor, Kind } from '../../../../actors/runtime/kind.ts';
import { subscriptionKind } from '../../../../actors/subscription/actor.ts';
import { DeliveryAgenda } from '../../../../actors/subscription/agenda.ts';
import { isLater } from '../../../../actors/subscription/deliveries/documents.ts';
import { recordedState } from '../../../../actors/subscription/deliveries/recorded-delivery.ts';
import { EventFanOut } from '../../../../actors/subscription/fan-out.ts';
import type { PostOutcome } from '../../../../shared/ports/outbound.ts';
import type { OutboxEvent } from '../../../../shared/wire/outbox.ts';
import { partitionOf, shelved } from '../../../../shared/wire/subjects.ts';
import type {
  ConfigureSubscription,
  RetryDeliveries,
  TestSubscription,
} from '../../../../shared/wire/subscription-commands.ts';
import { ManualClock } from '../../manual-clock.ts';
import { useForEach } from '../../test-hooks.ts';
import { UNHEARD } from '../../unheard.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';

const SCHEDULE = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 28_800_000];
const quiet = (): void => undefined;

export type Answers = (url: string, deliveryId: string) => PostOutcome | Promise<PostOutcome>;

export const answered = (status: number): PostOutcome => ({ ok: true, status, body: '', ms: 3 });
export const timedOut: PostOutcome = { ok: false, kind: 'timeout', error: 'late', ms: 10_000 };

/** A sealed secret that cannot be opened. */
export const UNREADABLE = 'unreadable';

export interface Post {
  readonly url: string;
  readonly id: string;
  readonly at: number;
}

type CommandDraft =
  | Omit<RetryDeliveries, 'id'>
  | Omit<TestSubscription, 'id'>
  | Omit<ConfigureSubscription, 'id'>;

export class DeliveryFixture {
  readonly clock = new ManualClock();
  readonly store: MemoryStore = createMemoryStore();
  readonly posts: Post[] = [];
  /** Reasons for which a subscription was disabled. */
  readonly disabled: string[] = [];
  answers: Answers = () => answered(200);
  #kind: Kind | null = null;
  #fanOut: EventFanOut | null = null;
  #life = { now: true };
  #epoch = 0;
  #made = 0;

  /**
   * A new owner of everything, or of some subscriptions' partitions; the one before is silent from
   * now on, as after a crash.
   */
  async own(...ids: readonly string[]): Promise<void> {
    this.#life.now = false;
    const life = { now: true };
    this.#life = life;
    this.#epoch++;
    const environment = this.#environment(life);
    const agenda = new DeliveryAgenda(environment, new DuePoller(environment));
    const kind = subscriptionKind(environment, agenda);
    this.#kind = kind;
    const views = {
      read: async () =>
        ({ id: 'org', subscriptions: this.#entries() }) as unknown as OrganizationState,
    };
    this.#fanOut = new EventFanOut(environment, views, agenda);
    await this.reacquire(...ids);
  }

  /** As the host does after a recovery that failed, or with the partitions of more. */
  async reacquire(...ids: readonly string[]): Promise<void> {
    const numbers = this.#numbers(ids.length > 0 ? ids : undefined);
    await Promise.all(numbers.map((number) => this.#kind?.acquire?.(number, this.#epoch)));
    await this.settle();
  }

  /** Subscriptions, and their owner for long. */
  static async owned(...ids: readonly string[]): Promise<DeliveryFixture> {
    const fixture = new DeliveryFixture();
    for (const id of ids) fixture.subscription(id);
    await fixture.ownForLong();
    return fixture;
  }

  /** The same anew for each test. */
  static ofEachTest(...ids: readonly string[]): DeliveryFixture {
    return useForEach(() => DeliveryFixture.owned(...ids));
  }

  /** An owner of so long a time that a nudge is taken at its word (OWN_TIME_MS). */
  async ownForLong(): Promise<void> {
    await this.own();
    await this.pass(11_000);
  }

  subscription(id: string, more: Partial<SubscriptionEntry> = {}): void {
    const entry: SubscriptionEntry = {
      id,
      ref: id,
      url: `http://127.0.0.1/${id}`,
      events: ['*'],
      secrets: [{ sealed: 'secret', until: null }],
      enabled: true,
      disabledReason: null,
      createdAt: 0,
      ...more,
    };
    const others = this.#entries().filter((each) => each.id !== id);
    this.store.put('organizations', { _id: 'org', subscriptions: [...others, entry] });
  }

  /** Records a delivery; without `nudge` only the agenda knows of it. */
  record(subscriptionId: string, { nudge = true, parked = false } = {}): DeliveryDocument {
    const now = this.clock.now();
    const delivery: DeliveryDocument = {
      _id: `dlv_${String(this.#made++).padStart(4, '0')}`,
      orgId: 'org',
      subscriptionId,
      ...shelved('subscription', subscriptionId),
      event: 'message.sent',
      body: '{}',
      createdAt: now,
      state: recordedState(now, parked ? 'parked' : 'pending'),
    };
    this.store.put('deliveries', delivery);
    if (nudge) this.nudge(delivery);
    return delivery;
  }

  nudge(delivery: DeliveryDocument): void {
    const partition = partitionOf('subscription', delivery.subscriptionId);
    this.#kind?.nudge?.(partition, structuredClone(delivery));
  }

  /** It happens what each subscription is told: it was committed in the same process. */
  async happen(...ids: readonly string[]): Promise<void> {
    assert.ok(this.#fanOut);
    const events = ids.map(
      (id): OutboxEvent => ({ type: 'event', id, event: 'message.sent', data: {} }),
    );
    await this.#fanOut.record('org', events);
  }

  /** The owner hands everything over. */
  async drain(): Promise<void> {
    await Promise.all(this.#numbers().map((number) => this.#kind?.flush?.(number)));
  }

  async ask(subscriptionId: string, command: CommandDraft): Promise<unknown> {
    const actor: Actor | undefined = this.#kind?.open(subscriptionId, this.#epoch, false);
    const deadline = this.clock.now() + 8_000;
    const asked = { ...command, id: `cmd_${this.#made++}` };
    const answer = await actor?.turn(asked, { deadline, repeat: false, epoch: this.#epoch });
    await this.settle();
    return JSON.parse(answer?.body ?? 'null');
  }

  /** As the next owner would see them: claims in the attempt log are written out first. */
  deliveries(status?: string): DeliveryDocument[] {
    const claims = this.store.all<AttemptLogPage>('claims').flatMap((page) => page.claims);
    const all = this.store.all<DeliveryDocument>('deliveries').map((delivery) => {
      const claim = claims.findLast(({ _id }) => _id === delivery._id);
      return claim && isLater(claim.state, delivery.state) ? { ...delivery, ...claim } : delivery;
    });
    return all.filter(({ state }) => status === undefined || state.status === status);
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 60; turn++) await new Promise<void>((go) => setImmediate(go));
  }

  /** Time passes, in steps that are finer than any wait. */
  async pass(ms: number, stepMs = 1_000): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.clock.advance(Math.min(stepMs, ms - passed));
      await this.settle();
    }
  }

  #numbers(ids: readonly string[] = this.#entries().map(({ id }) => id)): number[] {
    return [...new Set(ids.map((id) => partitionOf('subscription', id)))];
  }

  #entries(): SubscriptionEntry[] {
    const [organization] = this.store.all('organizations');
    return Reflect.get(Object(organization), 'subscriptions') ?? [];
  }

  #environment(life: { readonly now: boolean }): Environment {
    const { clock, store } = this;
    const environment = {
      store,
      clock,
      random: { unit: () => 0.5 },
      ids: {
        fresh: (prefix: string) => `${prefix}_${this.#made++}`,
        derive: (prefix: string, ...parts: readonly string[]) => `${prefix}_${parts.join('_')}`,
        digest: (text: string) => text,
      },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      live: UNHEARD,
      vault: {
        open: (sealed: string) => {
          if (sealed === UNREADABLE) throw new Error('sealed by another installation');
          return sealed;
        },
        sign: () => ({ service: 's', standard: 'v1' }),
      },
      bus: {
        nudge: (_: unknown, delivery: DeliveryDocument) => this.nudge(delivery),
        ask: async (_: unknown, { subscriptionId, reason }: DisableSubscription) => {
          this.disabled.push(String(reason));
          const entry = this.#entries().find(({ id }) => id === subscriptionId);
          this.subscription(String(subscriptionId), {
            ...entry,
            enabled: false,
            disabledReason: String(reason),
          });
          return { status: 200, body: '{}' };
        },
      },
      outbound: {
        post: async (url: string, _: string, headers: Readonly<Record<string, string>>) => {
          const id = headers['webhook-id'] ?? '';
          this.posts.push({ url, id, at: clock.now() });
          return this.answers(url, id);
        },
      },
      settings: { retrySchedule: SCHEDULE, eventHeaderPrefix: 'X-Service' },
      leaseHeld: () => life.now,
    };
    return environment as unknown as Environment;
  }
}
