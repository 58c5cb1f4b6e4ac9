/** The person behind an entry of a `cloud` webhook, where its fields do not agree. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { batch, change, message, parsed, text } from './cloud-batch.ts';

describe('cloud: who a webhook is about', () => {
  const only = (raw: string): NetworkEvent => {
    const [event] = parsed(raw).events;
    assert.ok(event !== undefined);
    return event;
  };

  it('ids of another contact in the batch are not taken', () => {
    const other = { profile: { name: 'Bia' }, wa_id: '5521966665555', user_id: 'BR.2' };
    const event = only(batch(change({ contacts: [other], messages: [text('w1')] })));
    assert.ok(event.type === 'message' && event.aliases === undefined);
  });

  it('the ninth digit does not part a message from its contact', () => {
    const short = { wa_id: '553188887777', user_id: 'BR.3' };
    const event = only(batch(change({ contacts: [short], messages: [text('w1')] })));
    assert.ok(event.type === 'message');
    assert.deepEqual(event.aliases, ['BR.3']);
  });

  it('an opaque id in the place of the phone is no phone', () => {
    const hidden = message('w1', { from: 'BR.150', type: 'text', text: { body: 'oi' } });
    const event = only(batch(change({ messages: [hidden] })));
    assert.ok(event.type === 'message' && event.phone === '' && event.networkId === 'BR.150');
  });

  it('a name that looks like an id is not taken for one', () => {
    const system = {
      body: 'User changed from BR.666 to BR.777 changed from BR.1 to BR.2',
      user_id: 'BR.2',
      type: 'user_changed_user_id',
    };
    const raw = { id: 'w1', timestamp: '1', type: 'system', system };
    const event = only(batch(change({ messages: [raw] })));
    assert.ok(event.type === 'identity');
    assert.deepEqual(event.aliases, ['BR.1']);
  });

  it('a system message that the network makes up is never the contact’s words', () => {
    for (const type of ['group_invite', 'constructor', '', undefined]) {
      const system = message('w1', { type: 'system', system: { body: 'Bem-vindo', type } });
      const { events, skipped } = parsed(batch(change({ messages: [system] })));
      assert.deepEqual([events, skipped], [[], 0]);
    }
  });

  it('an edit or a deletion of nothing is malformed', () => {
    const odd = [
      message('w1', { type: 'edit', edit: { message: { type: 'text', text: { body: 'x' } } } }),
      message('w2', { type: 'edit' }),
      message('w3', { type: 'revoke', revoke: {} }),
    ];
    const { events, skipped } = parsed(batch(change({ messages: odd })));
    assert.deepEqual([events, skipped], [[], 3]);
  });

  it('a receipt names the phone of whom it is about', () => {
    const status = { id: 's1', status: 'read', timestamp: '1', recipient_id: '5531988887777' };
    const event = only(batch(change({ statuses: [status] })));
    assert.ok(event.type === 'receipt' && event.phone === '5531988887777');
  });
});
