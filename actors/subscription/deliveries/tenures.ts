/**
 * Tenures of the partitions of subscriptions, with their delivery workers. A tenure is open once
 * earlier owners' claims are in the deliveries: no attempt starts earlier.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { OwnedPartitions, Tenure } from '../../runtime/owned-partitions.ts';
import { TRUSTED_MS } from './documents.ts';
import { LOW_WATER } from './queue.ts';
import type { DeliveryWorker } from './worker.ts';

/** Time after the acquisition before nudges are trusted; clocks differ. */
const NUDGE_TRUSTED_AFTER_MS = 2 * TRUSTED_MS;

export class DeliveryTenure extends Tenure<DeliveryWorker> {
  /** Monotonic milliseconds. */
  readonly #acquiredAt: number;
  /** Resolves when it is open, or has ended. */
  readonly opened = Promise.withResolvers<void>();
  isOpen = false;

  constructor(epoch: number, acquiredAt: number, make: (subscriptionId: string) => DeliveryWorker) {
    super(epoch, make);
    this.#acquiredAt = acquiredAt;
  }

  open(): void {
    this.isOpen = true;
    this.opened.resolve();
  }

  /** An earlier owner may have attempted what comes by a nudge. */
  isJustAcquired(monotonic: number): boolean {
    return !this.isOpen || monotonic - this.#acquiredAt < NUDGE_TRUSTED_AFTER_MS;
  }

  override end(): void {
    super.end();
    this.opened.resolve();
  }
}

export class DeliveryTenures extends OwnedPartitions<DeliveryWorker, DeliveryTenure> {
  constructor(
    clock: Pick<Clock, 'monotonic'>,
    newWorker: (subscriptionId: string, epoch: number) => DeliveryWorker,
  ) {
    super((epoch) => new DeliveryTenure(epoch, clock.monotonic(), (id) => newWorker(id, epoch)));
  }

  of(subscriptionId: string): DeliveryTenure | undefined {
    return this.get(partitionOf('subscription', subscriptionId));
  }

  ofOpen(subscriptionId: string): DeliveryTenure | null {
    const tenure = this.of(subscriptionId);
    return tenure?.isOpen ? tenure : null;
  }

  openNumbers(numbers = this.numbers): readonly number[] {
    return numbers.filter((number) => this.get(number)?.isOpen);
  }

  /** Subscriptions with enough deliveries in memory. */
  saturated(): readonly string[] {
    const saturated = this.workers().filter(({ queued }) => queued >= LOW_WATER);
    return saturated.map(({ subscriptionId }) => subscriptionId);
  }
}
