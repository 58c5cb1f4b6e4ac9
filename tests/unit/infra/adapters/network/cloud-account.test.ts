/** The account in webhooks of the Cloud API: what makes a channel not ready, and for how long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { eventsOf } from './cloud-payload.ts';

/** Without the ids that are beside every status. */
function toldBy(name: string): readonly NetworkEvent[] {
  return eventsOf(name).filter(({ type }) => type !== 'identity');
}

describe('cloud: the account in webhooks', () => {
  const unready: readonly [string, RegExp][] = [
    ['account-disabled', /bloqueada/],
    ['account-deleted', /excluída/],
    ['account-offboarded', /desconectada/],
    ['account-partner-removed', /desconectada/],
  ];
  for (const [name, reason] of unready) {
    it(`${name} makes the channel not ready`, () => {
      const [event, ...more] = eventsOf(name);
      assert.ok(event?.type === 'readiness' && event.readiness.ready === false);
      assert.match(event.readiness.reason, reason);
      assert.equal(more.length, 0);
    });
  }

  it('an account that may not answer either is not ready, until a probe finds it well', () => {
    const [restriction, event] = eventsOf('account-silenced');
    assert.deepEqual(restriction, {
      type: 'restriction',
      restriction: { until: 1_780_600_000_000 },
    });
    assert.ok(event?.type === 'readiness' && event.readiness.ready === false);
    assert.match(event.readiness.reason, /restring/);
    assert.equal('holdMs' in event.readiness, false);
  });

  it('a failure that is one message’s fails that message alone', () => {
    const [event, ...more] = toldBy('status-failed-experiment');
    assert.ok(event?.type === 'receipt' && event.error?.code === '130472');
    assert.match(event.error.message, /experimento/);
    assert.equal(more.length, 0);
  });

  it('a failure that is the account’s makes the channel not ready, once for a batch', () => {
    const [first, second, event, ...more] = toldBy('status-failed-spam');
    assert.ok(first?.type === 'receipt' && first.error?.code === '131048');
    assert.ok(second?.type === 'receipt' && second.messageId === 'msg_f3');
    assert.ok(event?.type === 'readiness' && event.readiness.ready === false);
    assert.equal(event.readiness.reason, first.error.message);
    assert.equal(event.readiness.holdMs, 60 * 60_000);
    assert.equal(more.length, 0);
  });

  it('a block that a probe sees end is held no longer than that', () => {
    const [, event] = toldBy('status-failed-payment');
    assert.ok(event?.type === 'readiness' && event.readiness.ready === false);
    assert.match(event.readiness.reason, /pagamento/);
    assert.equal('holdMs' in event.readiness, false);
  });
});
