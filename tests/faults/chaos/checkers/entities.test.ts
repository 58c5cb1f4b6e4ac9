/** Whether the checkers of flows, contacts, inbound messages and limits can fail at all. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkContacts } from './contacts.ts';
import { checkFlows } from './flows.ts';
import { type Ended, HistoryBuilder } from './history-builder.ts';
import { checkInbound } from './inbound.ts';
import { checkLimits } from './limits.ts';

const PHONE = '5511987000001';

function conversation(
  builder: HistoryBuilder,
  direction: 'in' | 'out',
  texts: readonly string[],
): HistoryBuilder {
  const messages = texts.map((text, id) => ({ id: `m${id}`, direction, text, status: 'read' }));
  const read = { phone: PHONE, conversationId: 'c', status: 'open', messages };
  return builder.seen('read-conversation', read);
}

describe('races to start a flow', () => {
  const STARTED: Ended = { ok: { result: 'started' } };
  const SKIPPED: Ended = { ok: { result: 'skipped' } };
  const NO_ANSWER: Ended = { info: true };

  function faults(races: readonly (readonly Ended[])[], greetings: number): readonly string[] {
    const builder = new HistoryBuilder();
    races.forEach((rivals, interval) => {
      for (const ended of rivals) {
        builder.call('flow-start', { phone: PHONE, interval, greeting: 'hi' }, ended);
      }
    });
    conversation(builder, 'out', Array<string>(greetings).fill('hi'));
    return checkFlows(builder.history).violations;
  }

  test('one of each interval passes, also one that nobody heard of', () => {
    assert.deepEqual(faults([[STARTED, SKIPPED], [STARTED]], 2), []);
    assert.deepEqual(faults([[SKIPPED, NO_ANSWER]], 1), []);
    assert.deepEqual(faults([[STARTED, NO_ANSWER], [SKIPPED]], 2), [], 'it started late');
    assert.deepEqual(faults([[NO_ANSWER]], 0), []);
  });

  test('two winners are found', () => assert.equal(faults([[STARTED, STARTED]], 2).length, 1));
  test('no winner is found', () => assert.equal(faults([[SKIPPED, SKIPPED]], 0).length, 1));
  test('a later interval without a winner is found', () =>
    assert.equal(faults([[STARTED], [SKIPPED], [NO_ANSWER]], 1).length, 1));
  test('a lost greeting is found', () => assert.equal(faults([[STARTED]], 0).length, 1));
  test('a doubled greeting is found', () =>
    assert.equal(faults([[STARTED, SKIPPED]], 2).length, 1));
});

describe('contacts', () => {
  const request = (name: string) => ({
    phone: PHONE,
    fields: { [name]: name },
    tags: [`t-${name}`],
  });
  const answer = (created: boolean): Ended => ({ ok: { id: 'c1', created } });

  function told(): HistoryBuilder {
    const builder = new HistoryBuilder();
    builder.call('contact-upsert', request('a'), answer(true));
    builder.call('contact-upsert', request('b'), answer(false));
    builder.call('contact-upsert', request('c'), { info: true });
    return builder.call('contact-upsert', request('d'), { refused: { status: 429 } });
  }

  function faults(names: readonly string[], more: Partial<{ id: string; rows: number }> = {}) {
    const { id = 'c1', rows = 1 } = more;
    const fields = Object.fromEntries(names.map((name) => [name, name]));
    const contact = { id, fields, tags: names.map((name) => `t-${name}`) };
    const contacts = Array.from({ length: rows }, () => contact);
    return checkContacts(told().seen('read-contact', { phone: PHONE, contacts }).history)
      .violations;
  }

  test('the union passes, with and without what nobody could answer', () => {
    assert.deepEqual(faults(['a', 'b']), []);
    assert.deepEqual(faults(['a', 'b', 'c']), []);
  });
  test('a lost field and its tag are found', () => assert.equal(faults(['a']).length, 2));
  test('what was refused is found', () => assert.equal(faults(['a', 'b', 'd']).length, 2));
  test('two contacts are found', () => assert.equal(faults(['a', 'b'], { rows: 2 }).length, 1));
  test('no contact is found', () => assert.equal(faults(['a', 'b'], { rows: 0 }).length, 1));
  test('another contact is found', () => assert.equal(faults(['a', 'b'], { id: 'c2' }).length, 2));
  test('a second creation is found', () => {
    const builder = told().call('contact-upsert', request('a'), answer(true));
    const fields = { a: 'a', b: 'b' };
    const contacts = [{ id: 'c1', fields, tags: ['t-a', 't-b'] }];
    const { violations } = checkContacts(
      builder.seen('read-contact', { phone: PHONE, contacts }).history,
    );
    assert.match(violations.join(), /created 2 times/);
  });
});

describe('what contacts write', () => {
  const request = (text: string) => ({ phone: PHONE, id: `wamid.${text}`, text });

  function faults(texts: readonly string[]): readonly string[] {
    const builder = new HistoryBuilder();
    builder
      .call('inbound', request('a'), { info: true })
      .call('inbound', request('a'), { ok: { id: 'x' } });
    builder
      .call('inbound', request('b'), { ok: { id: 'y' } })
      .call('inbound', request('c'), { info: true });
    return checkInbound(conversation(builder, 'in', texts).history).violations;
  }

  test('once each and in order passes, the last one or not', () => {
    assert.deepEqual(faults(['a', 'b', 'c']), []);
    assert.deepEqual(faults(['a', 'b']), []);
  });
  test('a lost one is found', () => assert.equal(faults(['a']).length, 1));
  test('a doubled one is found', () => assert.equal(faults(['a', 'a', 'b']).length, 1));
  test('a swapped pair is found', () => assert.equal(faults(['b', 'a']).length, 1));
  test('one that nobody wrote is found', () => assert.equal(faults(['a', 'b', 'z']).length, 1));
});

describe('limits', () => {
  const rate = (t: number) => ({ rateLimit: `"key";r=1;t=${t}, "org";r=1;t=${t}` });

  function spent(count: number, key = 'one', builder = begun()): HistoryBuilder {
    for (let call = 0; call < count; call++) {
      builder.call('spend', { key }, { ok: rate(60) });
    }
    return builder;
  }

  function begun(): HistoryBuilder {
    return new HistoryBuilder().seen('limits', { perKey: 5, perOrg: 7 });
  }

  const faults = (builder: HistoryBuilder) => checkLimits(builder.history).violations;
  const crash = (part: string) => {
    return { kind: 'kill', parts: [part], from: 1_000_003, to: 1_000_004 };
  };

  test('as many as there is room for in each window pass', () => {
    assert.deepEqual(faults(spent(5)), []);
    assert.deepEqual(faults(spent(2, 'two', spent(5))), []);
    assert.deepEqual(faults(spent(5, 'one', spent(5).wait(61_000))), []);
  });
  test('one more of a key is found', () => assert.match(faults(spent(6)).join(), /^one: 6 calls/));
  test('one more of both keys is found', () =>
    assert.match(faults(spent(3, 'two', spent(5))).join(), /^both keys: 8 calls/));
  test('what a crash of the counting process forgot is not', () => {
    assert.deepEqual(faults(spent(6).seen('fault', crash('actors-1'))), []);
    assert.equal(faults(spent(6).seen('fault', crash('gateway-1'))).length, 1);
    const later = spent(6, 'one', begun().wait(9_000)).seen('fault', crash('actors-1'));
    assert.equal(faults(later).length, 1, 'a crash long before');
  });
  test('what a process forgot with its lease is not', () => {
    const lost = (at: number) => spent(6).seen('lease-lost', { at });
    assert.deepEqual(faults(lost(1_003_000)), []);
    assert.equal(faults(lost(1_009_000)).length, 1, 'its calls were written down by then');
    assert.equal(faults(lost(999_000)).length, 1, 'a loss long before');
  });
  test('a refusal says how long to wait', () => {
    const refused = (retryAfter: string | null) =>
      begun().call('spend', { key: 'one' }, { refused: { status: 429, retryAfter } });
    assert.deepEqual(faults(refused('12')), []);
    assert.equal(faults(refused('0')).length, 1);
    assert.equal(faults(refused(null)).length, 1);
  });
});
