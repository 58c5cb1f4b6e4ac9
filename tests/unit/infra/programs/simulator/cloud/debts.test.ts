/** What the simulated Cloud API does beside judging a send: debts, proxies, foreign accounts. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { simulatorOf } from '../fixture.ts';

const TO = '5511988887777';
const WHERE = { phoneNumberId: '1001' };
const TEXT = {
  ...{ messaging_product: 'whatsapp', to: `+${TO}`, type: 'text', text: { body: 'oi' } },
  biz_opaque_callback_data: 'msg_1',
};

describe('the simulated Cloud API of an account in trouble', () => {
  const simulator = simulatorOf('the suite');
  afterEach(() => simulator.forget());

  const send = () => simulator.graph('POST', '/1001/messages', TEXT);
  const wrote = (fields: object) =>
    simulator.control('/inbound', { ...WHERE, from: TO, ...fields });
  const healthOf = async () => {
    const { body } = await simulator.graph('GET', '/1001?fields=health_status');
    return Object(body).health_status.can_send_message;
  };

  it('one that owes sends inside of the window, and 131042 is the answer outside', async () => {
    await simulator.control('/payment', WHERE);
    const refused = await send();
    assert.deepEqual([refused.status, Object(refused.body).error.code], [400, 131042]);
    assert.equal(await healthOf(), 'BLOCKED');
    await wrote({ text: 'oi' });
    assert.equal((await send()).status, 200);
    await simulator.control('/payment', { ...WHERE, owes: false });
    assert.equal(await healthOf(), 'AVAILABLE');
  });

  it('or a status tells it, while the health shows nothing', async () => {
    await simulator.control('/payment', { ...WHERE, refusesBy: 'status', isShown: false });
    assert.equal((await send()).status, 200);
    assert.equal(await healthOf(), 'AVAILABLE');
    const failed = () => simulator.statuses().find(({ status }) => status === 'failed');
    await simulator.network.until('a status', () => failed() !== undefined);
    assert.equal(Object(failed()).errors[0].code, 131042);
  });

  it('a proxy answers with a page, whether the message was taken or not', async () => {
    await simulator.control('/faults', { ...WHERE, status: 502, proxy: true, times: 1 });
    const url = `${simulator.network.url}/v26.0/1001/messages`;
    const headers = { authorization: 'Bearer token-1001' };
    const post = () => fetch(url, { method: 'POST', headers, body: JSON.stringify(TEXT) });
    const lost = await post();
    assert.deepEqual([lost.status, (await lost.text()).startsWith('<html>')], [502, true]);
    assert.equal((await simulator.sent(TO)).length, 0);
    const taken = { ...WHERE, status: 504, proxy: true, acceptFirst: true, times: 1 };
    await simulator.control('/faults', taken);
    assert.equal((await post()).status, 504);
    assert.equal((await simulator.sent(TO)).length, 1);
  });

  it('updates of other accounts of the app come to the same webhook', async () => {
    const value = { event: 'ACCOUNT_DELETED' };
    await simulator.control('/account', { ...WHERE, account: '999', value });
    const [told] = simulator.hooks('account_update');
    assert.equal(Object(told).entry[0].id, '999');
    assert.deepEqual(simulator.valuesOf('account_update'), [value]);
  });

  it('an opened chat, an answer to a wish to call, and a file that was lost', async () => {
    await wrote({ welcome: true });
    await wrote({ callPermission: { response: 'reject' } });
    await wrote({ media: { mimeType: 'image/png', errorCode: 131052 } });
    const said = simulator.valuesOf('messages').map((value) => value.messages[0]);
    const [opened, answered, lost] = said;
    assert.deepEqual([opened.type, opened.request_welcome], ['request_welcome', undefined]);
    const { response, response_source } = answered.interactive.call_permission_reply;
    assert.deepEqual([response, response_source], ['reject', 'user_action']);
    assert.deepEqual([lost.type, lost.image, lost.errors[0].code], ['image', undefined, 131052]);
  });
});
