/** Whether the checker of scheduled messages can fail at all. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HistoryBuilder } from './history-builder.ts';
import { checkScheduled } from './scheduled.ts';

/** The builder's first record has the time 1,000,001. */
const DUE = 1_000_100;

class Story extends HistoryBuilder {
  readonly #messages: object[] = [];

  schedule(text: string, at = DUE): this {
    return this.call('schedule', { phone: '1', text, at }, { ok: { messageId: `m-${text}` } });
  }

  came(text: string): this {
    const names = { externalId: `w-${text}`, messageId: `m-${text}` };
    return this.seen('network-accepted', { to: '1', text, ...names });
  }

  listed(text: string, status = 'read', code?: string): this {
    const error = code === undefined ? {} : { error: { code } };
    this.#messages.push({ id: `m-${text}`, direction: 'out', text, status, ...error });
    return this;
  }

  faults(): string {
    this.seen('read-scheduled', { phone: '1', messages: this.#messages });
    return checkScheduled(this.history).violations.join('\n');
  }
}

const cancel = { messageId: 'm-a' };

describe('scheduled messages', () => {
  test('pass when each is sent at its time, cancelled, or failed', () => {
    const story = new Story()
      .schedule('a')
      .schedule('b', DUE + 50)
      .schedule('c')
      .schedule('d');
    story.call('cancel', { messageId: 'm-c' }, { ok: { id: 'm-c' } });
    story
      .call('opt-out', { phone: '2' }, { ok: { id: 'ctc' } })
      .wait(200)
      .came('a')
      .came('b');
    story.listed('a').listed('b').listed('c', 'cancelled').listed('d', 'failed', 'opted_out');
    assert.equal(story.faults(), '');
  });

  test('are found when one comes before its time', () => {
    assert.match(new Story().schedule('a').came('a').listed('a').faults(), /came \d+ ms early/);
  });

  test('are found when one is lost, doubled, or never ends', () => {
    assert.match(new Story().schedule('a').faults(), /a was accepted and is lost/);
    assert.match(new Story().schedule('a').listed('a').listed('a').faults(), /there 2 times/);
    const waiting = new Story().schedule('a').listed('a', 'scheduled').faults();
    assert.match(waiting, /still scheduled at the end/);
  });

  test('are found when a cancel does not hold', () => {
    const cancelled = () => new Story().schedule('a').call('cancel', cancel, { ok: { id: 'm-a' } });
    assert.match(cancelled().wait(200).came('a').listed('a').faults(), /was cancelled and is read/);
    const came = cancelled().wait(200).came('a').listed('a', 'cancelled').faults();
    assert.match(came, /is cancelled and came to the network/);
  });

  test('are found when one is marked after an opt-out was answered', () => {
    const out = () =>
      new Story().schedule('a').call('opt-out', { phone: '1' }, { ok: { id: 'c' } });
    assert.match(out().wait(200).came('a').listed('a').faults(), /after the opt-out was answered/);
    const raced = new Story().schedule('a').wait(200).seen('marked', { messageId: 'm-a', at: DUE });
    raced
      .call('opt-out', { phone: '1' }, { ok: { id: 'c' } })
      .came('a')
      .listed('a');
    assert.equal(raced.faults(), '', 'the mark came first');
  });

  test('are found when a later one comes first', () => {
    const story = new Story()
      .schedule('a')
      .schedule('b', DUE + 50)
      .wait(200)
      .came('b')
      .came('a');
    assert.match(story.listed('a').listed('b').faults(), /a was due before b, and came after/);
  });
});
