/** The simulated Cloud API of 2026: ids of people, faults around the delivery, codes, health. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulatorOf } from '../fixture.ts';

const TO = '5511988887777';
const TEXT = { messaging_product: 'whatsapp', to: TO, text: { body: 'oi' } };
const CODES = [
  33, 130472, 130497, 131037, 131044, 131045, 131063, 131064, 133006, 135000, 137000, 141006,
];

describe('sandbox: the Cloud API of 2026', () => {
  const simulator = simulatorOf('each test');

  const send = (more: object = {}) =>
    simulator.graph('POST', '/1001/messages', { ...TEXT, ...more });
  const fault = (fields: object) =>
    simulator.control('/faults', { phoneNumberId: '1001', times: 1, ...fields });
  const writes = (fields: object) =>
    simulator.control('/inbound', { phoneNumberId: '1001', from: TO, text: 'oi', ...fields });
  const { valuesOf } = simulator;

  it('names a person by the same business-scoped id with and without the phone', async () => {
    await writes({});
    const [{ contacts, messages }] = valuesOf('messages');
    const { from, from_user_id: userId } = messages[0];
    assert.deepEqual([from, contacts[0].wa_id, contacts[0].user_id], [TO, TO, userId]);
    await send();
    await simulator.awaitHooks('statuses');
    const [{ recipient_id, recipient_user_id }] = simulator.statuses();
    assert.deepEqual([recipient_id, recipient_user_id], [TO, userId]);
    await writes({ from: userId });
    const [
      ,
      {
        messages: [said],
        contacts: [who],
      },
    ] = valuesOf('messages');
    assert.deepEqual([said.from, who.wa_id, said.from_user_id], [undefined, undefined, userId]);
  });

  it('an id that was told for a phone stays that phone’s', async () => {
    await writes({ userId: 'BR.150', parentUserId: 'BR.ENT.9' });
    const [{ contacts }] = valuesOf('messages');
    assert.deepEqual([contacts[0].user_id, contacts[0].parent_user_id], ['BR.150', 'BR.ENT.9']);
    await send();
    await simulator.awaitHooks('statuses');
    assert.equal(simulator.statuses()[0].recipient_user_id, 'BR.150');
    assert.equal((await send({ to: undefined, recipient: 'BR.ENT.9' })).status, 200);
  });

  it('a refusal after the delivery: the contact has the message', async () => {
    for (const acceptFirst of [true, false]) {
      await fault({ code: 131000, acceptFirst });
      assert.equal((await send()).status, 500);
      assert.equal((await simulator.sent(TO)).length, 1);
    }
  });

  it('a fault of one contact meets no send to another', async () => {
    await fault({ code: 131026, to: TO });
    await fault({ code: 131000 });
    const other = await send({ to: '5511988886666' });
    const statuses = [other, await send(), await send()].map(({ body, status }) => {
      return Object(body.error).code ?? status;
    });
    assert.deepEqual(statuses, [131000, 131026, 200]);
  });

  it('has a title for every code of the table, and marks what passes', async () => {
    for (const code of CODES) {
      await fault({ code });
      const { body } = await send();
      const error = Object(body.error);
      assert.equal(error.code, code);
      assert.ok(!error.message.includes('Unknown error'), String(code));
      assert.equal(error.is_transient, undefined);
    }
    await fault({ code: 135000, transient: true });
    assert.equal(Object((await send()).body.error).is_transient, true);
  });

  it('tells the health of a number, of which one owner is to blame', async () => {
    const ask = async () =>
      Object((await simulator.graph('GET', '/1001?fields=health_status')).body.health_status);
    assert.equal((await ask()).can_send_message, 'AVAILABLE');
    const errors = [{ error_code: 141010, error_description: 'd' }];
    const health = { phoneNumberId: '1001', canSend: 'BLOCKED', entity: 'WABA', errors };
    await simulator.control('/health', health);
    const { can_send_message, entities } = await ask();
    assert.equal(can_send_message, 'BLOCKED');
    const states = entities.map((each: { can_send_message: string }) => each.can_send_message);
    assert.deepEqual(states, ['AVAILABLE', 'BLOCKED', 'AVAILABLE', 'AVAILABLE']);
  });

  it('tells what befell the account in a field of its own', async () => {
    const value = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } };
    await simulator.control('/account', { phoneNumberId: '1001', value });
    assert.deepEqual(valuesOf('account_update'), [value]);
  });

  it('tells a message as often as it is asked to', async () => {
    const { id } = await writes({ times: 3 });
    const ids = valuesOf('messages').flatMap(({ messages }) =>
      messages.map((each: { id: string }) => each.id),
    );
    assert.deepEqual(ids, [id, id, id]);
  });
});
