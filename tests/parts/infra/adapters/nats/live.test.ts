/** Live hints on a connection: nothing without listeners, and the hints of a tick together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire as BusWire } from '../../../../../infra/adapters/nats/connection.ts';
import { HintListener, HintPublisher } from '../../../../../infra/adapters/nats/live.ts';
import { LOG_EVENT } from '../../../../../shared/log-events.ts';
import type { Hint } from '../../../../../shared/ports/live.ts';
import type { Log } from '../../../../../shared/ports/log.ts';
import { LIVE_LISTENERS, liveSubject } from '../../../../../shared/wire/subjects.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

type Callback = (error: null, message: object) => void;

/** A bus of one process: each message reaches every subscription that matches, at once. */
class Wire {
  readonly published: { readonly subject: string; readonly data: string }[] = [];
  #inboxes = 0;
  readonly #subscriptions = new Map<object, { readonly subject: string; on: Callback }>();

  connection(): BusWire {
    const part = {
      isClosed: () => false,
      newInbox: () => `recado.inbox.actors.live.${++this.#inboxes}`,
      subscribe: (subject: string, { callback }: { readonly callback: Callback }) => {
        const subscription = { unsubscribe: () => void this.#subscriptions.delete(subscription) };
        this.#subscriptions.set(subscription, { subject, on: callback });
        return subscription;
      },
      publish: (subject: string, data = '', { reply = '' } = {}) =>
        this.#publish(subject, data, reply),
    };
    return part as unknown as BusWire;
  }

  #publish(subject: string, data: string, reply = ''): void {
    this.published.push({ subject, data });
    const message = {
      ...{ subject, data: Buffer.from(data), json: () => JSON.parse(data), string: () => data },
      respond: (answer: string) => reply !== '' && this.#publish(reply, answer),
    };
    for (const { subject: wanted, on } of [...this.#subscriptions.values()]) {
      const pattern = `^${wanted.replaceAll('.', String.raw`\.`).replace('*', '[^.]+')}$`;
      if (new RegExp(pattern).test(subject)) on(null, message);
    }
  }
}

/** The warnings of an owner. */
class Warnings {
  readonly lines: string[] = [];
  readonly log: Log = {
    ...{ debug: () => undefined, info: () => undefined, error: () => undefined },
    warn: (_fields, message) => void this.lines.push(message),
  };
}

const tick = (): Promise<void> => new Promise((go) => setImmediate(go));

function fixture() {
  const wire = new Wire();
  const clock = new ManualClock();
  const warnings = new Warnings();
  const publisher = new HintPublisher(wire.connection(), { clock, log: warnings.log });
  const listenerOf = (processId: string) =>
    new HintListener(wire.connection(), { clock, processId });
  const listener = listenerOf('panel-1');
  const hints = () => wire.published.filter(({ subject }) => subject.startsWith('recado.live.'));
  return { wire, clock, publisher, listener, listenerOf, hints, warnings: warnings.lines };
}

test('an owner that knows of no listener publishes nothing', async () => {
  const { publisher, listener, hints } = fixture();
  listener.listen('org_other', () => undefined);
  publisher.changed('org_a', 'deal', { id: 'x', seq: 1 });
  await tick();
  assert.deepEqual(hints(), []);
  const listened = ['org_a', 'org_other'].map((orgId) => publisher.hasListeners(orgId));
  assert.deepEqual(listened, [false, true]);
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
  const subjects = hints().map(({ subject }) => subject);
  assert.deepEqual(subjects, [liveSubject('org_a', 'deal')]);
});

test('a listener is announced until it stops, and forgotten afterwards', async () => {
  const { wire, clock, publisher, listener, hints } = fixture();
  const announced = () => wire.published.filter(({ subject }) => subject === LIVE_LISTENERS);
  const stop = listener.listen('org_a', () => undefined);
  for (let passed = 0; passed < 60_000; passed += 1_000) clock.advance(1_000);
  publisher.changed('org_a', 'deal', { id: 'x', seq: 1 });
  await tick();
  assert.equal(hints().length, 1, 'still listened to');
  assert.ok(announced().length > 5);
  stop();
  const before = announced().length;
  for (let passed = 0; passed < 60_000; passed += 1_000) clock.advance(1_000);
  assert.equal(announced().length, before, 'nothing is announced any more');
  publisher.changed('org_a', 'deal', { id: 'x', seq: 2 });
  await tick();
  assert.equal(hints().length, 1);
});

test('an owner that starts later learns of the listeners at once', async () => {
  const { wire, clock, listener, hints } = fixture();
  listener.listen('org_a', () => undefined);
  const later = new HintPublisher(wire.connection(), { clock, log: new Warnings().log });
  later.changed('org_a', 'contact', { id: 'x', seq: 1 });
  await tick();
  assert.equal(hints().length, 1);
});

test('the end of sessions is waited for, until every process that listens has told its pages', async () => {
  const { publisher, listener, listenerOf, warnings } = fixture();
  const ended: string[] = [];
  const note = (name: string) => (kind: string, hints: readonly Hint[]) => {
    for (const { id } of hints) ended.push(`${name} ${kind} ${id}`);
  };
  listener.listen('org_a', note('one'));
  listenerOf('panel-2').listen('org_a', note('two'));
  listenerOf('panel-3').listen('org_b', note('other'));
  await publisher.endStreams('org_a', ['ses_a', 'ses_b']);
  assert.deepEqual(ended.sort(), [
    ...['one session ses_a', 'one session ses_b'],
    ...['two session ses_a', 'two session ses_b'],
  ]);
  assert.deepEqual(warnings, []);
});

test('without a listener the end of a session waits for nothing', async () => {
  const { publisher, listener, hints } = fixture();
  const stop = listener.listen('org_a', () => undefined);
  stop();
  await publisher.endStreams('org_a', ['ses_a']);
  assert.deepEqual(hints(), []);
});

test('a silent process is waited for once, and again after it has announced itself', async () => {
  const { wire, clock, publisher, warnings } = fixture();
  const announce = () => {
    const announced = JSON.stringify({ processId: 'panel-9', orgIds: ['org_a'] });
    wire.connection().publish(LIVE_LISTENERS, announced);
  };
  announce();
  const first = publisher.endStreams('org_a', ['ses_a']);
  assert.equal(clock.waiting, 1);
  clock.advance(2_000);
  await first;
  assert.deepEqual(warnings, [LOG_EVENT.streamsUnacknowledged]);
  await publisher.endStreams('org_a', ['ses_b']);
  assert.equal(clock.waiting, 0, 'no second wait');
  announce();
  const third = publisher.endStreams('org_a', ['ses_c']);
  assert.equal(clock.waiting, 1);
  clock.advance(2_000);
  await third;
});
