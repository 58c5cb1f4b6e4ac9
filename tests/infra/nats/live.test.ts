/** Live hints on a connection: nothing without listeners, and the hints of a tick together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NatsConnection } from 'nats';
import { HintListener, HintPublisher } from '../../../infra/adapters/nats/live.ts';
import type { Hint } from '../../../shared/ports/live.ts';
import { LIVE_LISTENERS, liveSubject } from '../../../shared/wire/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';

type Callback = (error: null, message: object) => void;

/** A bus of one process: each message reaches every subscription that matches, at once. */
class Wire {
  readonly published: { readonly subject: string; readonly data: string }[] = [];
  readonly #subscriptions = new Map<object, { readonly subject: string; on: Callback }>();

  connection(): NatsConnection {
    const part = {
      isClosed: () => false,
      subscribe: (subject: string, { callback }: { readonly callback: Callback }) => {
        const subscription = { unsubscribe: () => void this.#subscriptions.delete(subscription) };
        this.#subscriptions.set(subscription, { subject, on: callback });
        return subscription;
      },
      publish: (subject: string, data = '') => this.#publish(subject, data),
    };
    return part as unknown as NatsConnection;
  }

  #publish(subject: string, data: string): void {
    this.published.push({ subject, data });
    for (const { subject: wanted, on } of [...this.#subscriptions.values()]) {
      const start = wanted.endsWith('*') ? wanted.slice(0, -1) : null;
      const matches = start === null ? wanted === subject : subject.startsWith(start);
      if (matches) on(null, { subject, json: () => JSON.parse(data) });
    }
  }
}

const tick = (): Promise<void> => new Promise((go) => setImmediate(go));

function fixture() {
  const wire = new Wire();
  const clock = new ManualClock();
  const publisher = new HintPublisher(wire.connection(), clock);
  const listener = new HintListener(wire.connection(), clock);
  const hints = () => wire.published.filter(({ subject }) => subject.startsWith('recado.live.'));
  return { wire, clock, publisher, listener, hints };
}

test('an owner that knows of no listener publishes nothing', async () => {
  const { publisher, listener, hints } = fixture();
  listener.listen('org_other', () => undefined);
  publisher.changed('org_a', 'deal', { id: 'x', seq: 1 });
  await tick();
  assert.deepEqual(hints(), []);
  assert.deepEqual(
    [publisher.hasListeners('org_a'), publisher.hasListeners('org_other')],
    [...[false, true]],
  );
});

test('the hints of one tick are one message, with the newest of each entity', async () => {
  const { publisher, listener, hints } = fixture();
  const heard: (readonly [string, readonly Hint[]])[] = [];
  listener.listen('org_a', (kind, found) => heard.push([kind, found]));
  publisher.changed('org_a', 'deal', { id: 'x', seq: 1 });
  publisher.changed('org_a', 'deal', { id: 'y', seq: 1 });
  publisher.changed('org_a', 'deal', { id: 'x', seq: 2 });
  await tick();
  const newest = [
    { id: 'x', seq: 2 },
    { id: 'y', seq: 1 },
  ];
  assert.deepEqual(heard, [['deal', newest]]);
  assert.deepEqual(
    hints().map(({ subject }) => subject),
    [liveSubject('org_a', 'deal')],
  );
});

test('a listener is announced until it stops, and forgotten afterwards', async () => {
  const { wire, clock, publisher, listener, hints } = fixture();
  const announced = () => wire.published.filter(({ subject }) => subject === LIVE_LISTENERS);
  const stop = listener.listen('org_a', () => undefined);
  for (let passed = 0; passed < 60_000; passed += 1_000) clock.advance(1_000);
  publisher.changed('org_a', 'deal', { id: 'x', seq: 1 });
  await tick();
  assert.equal(hints().length, 1, 'still listened to');
  const before = announced().length;
  assert.ok(before > 5);
  stop();
  for (let passed = 0; passed < 60_000; passed += 1_000) clock.advance(1_000);
  assert.equal(announced().length, before, 'nothing is announced any more');
  publisher.changed('org_a', 'deal', { id: 'x', seq: 2 });
  await tick();
  assert.equal(hints().length, 1);
});

test('an owner that starts later learns of the listeners at once', async () => {
  const { wire, clock, listener, hints } = fixture();
  listener.listen('org_a', () => undefined);
  const later = new HintPublisher(wire.connection(), clock);
  later.changed('org_a', 'contact', { id: 'x', seq: 1 });
  await tick();
  assert.equal(hints().length, 1);
});
