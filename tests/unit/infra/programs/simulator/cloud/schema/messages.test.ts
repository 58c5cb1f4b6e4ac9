/** The strict stand-in for Graph's messages: at each limit of the documentation, and beyond it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listAt, recordAt } from '../../../../../../../infra/adapters/network/webhook-body.ts';
import { simulatorOf } from '../../fixture.ts';
import { long, MESSAGE_CASES } from './message-cases.ts';

const TO = '5511988887777';
const SAID = { phoneNumberId: '1001', from: TO, text: 'oi' };
const COMMON = { messaging_product: 'whatsapp', to: `+${TO}` };

describe('the simulated messages of Graph', () => {
  const simulator = simulatorOf('the suite');

  const send = (message: object) =>
    simulator.graph('POST', '/1001/messages', { ...COMMON, ...message });

  for (const [group, cases] of Object.entries(MESSAGE_CASES)) {
    describe(group, () => {
      for (const [what, message, code] of cases) {
        it(`${code === undefined ? 'takes' : `refuses with ${code}`}: ${what}`, async () => {
          const { status, body } = await send(message);
          const error = recordAt(body, 'error');
          assert.deepEqual([status, error.code], [code === undefined ? 200 : 400, code]);
          if (code === undefined) return;
          const { messaging_product: product, details } = recordAt(error, 'error_data');
          assert.equal(product, 'whatsapp');
          assert.ok(typeof details === 'string' && details.length > 10, String(details));
          assert.match(String(error.message), new RegExp(`^\\(#${code}\\) [A-Z]`));
          assert.equal(error.type, 'OAuthException');
          assert.ok(error.fbtrace_id);
        });
      }
    });
  }

  it('names the parameter that is wrong', async () => {
    const action = { buttons: [{ type: 'reply', reply: { id: 'a', title: long(21) } }] };
    const interactive = { type: 'button', body: { text: 'a' }, action };
    const { body } = await send({ type: 'interactive', interactive });
    const { details } = recordAt(recordAt(body, 'error'), 'error_data');
    const name = "interactive['action']['buttons'][0]['reply']['title']";
    assert.equal(details, `Param ${name} must be at most 20 characters long.`);
  });

  it('a refused message is on record as refused alone, one that a fault refuses not at all', async () => {
    await simulator.forget();
    await send({ type: 'text', text: { body: long(4_097) } });
    assert.deepEqual(await simulator.sent(TO), []);
    await simulator.control('/faults', { phoneNumberId: '1001', code: 131026, times: 1 });
    await send({ type: 'text', text: { body: 'oi' } });
    const { body: log } = await simulator.network.control('GET', '/refused');
    const [refused, ...more] = listAt(Object(log), 'data').map((each) => Object(each));
    const details = "Param text['body'] must be at most 4096 characters long.";
    assert.partialDeepStrictEqual(refused, { phoneNumberId: '1001', code: 100, details });
    assert.deepEqual(more, []);
  });

  it('an accepted message is on record as the contact sees it', async () => {
    await simulator.forget();
    const buttons = [{ type: 'reply', reply: { id: 'sim', title: 'Sim' } }];
    await send({
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'text', text: 'Pedido' },
        body: { text: 'Confirma?' },
        footer: { text: 'Loja' },
        action: { buttons },
      },
      context: { message_id: 'wamid.1' },
    });
    const store = { longitude: -46.6, name: 'Loja' };
    await send({ type: 'location', location: { latitude: '-23.5', ...store } });
    const name = { formatted_name: 'Ana', first_name: 'Ana' };
    await send({ type: 'contacts', contacts: [{ name, phones: [{ phone: '+5511' }] }] });
    const shown = (await simulator.sent(TO)).map(
      ({ at: _at, externalId: _id, channel: _channel, to: _to, ...row }) => row,
    );
    const frame = { type: 'button', header: 'Pedido', footer: 'Loja' };
    const framed = { ...frame, buttons: [{ id: 'sim', title: 'Sim' }] };
    assert.deepEqual(shown, [
      { text: 'Confirma?', kind: 'interactive', interactive: framed, replyTo: 'wamid.1' },
      { text: null, kind: 'location', location: { latitude: -23.5, ...store } },
      { text: null, kind: 'contacts', contacts: [{ name: 'Ana', phones: ['+5511'] }] },
    ]);
  });

  it('a reaction is reported as sent and no more; one to an unknown message fails', async () => {
    await simulator.forget();
    const { id } = await simulator.control('/inbound', SAID);
    await send({ type: 'reaction', reaction: { message_id: id, emoji: '👍' } });
    await send({ type: 'reaction', reaction: { message_id: 'wamid.none', emoji: '👍' } });
    await send({ type: 'text', text: { body: 'fim' } });
    const { statuses } = simulator;
    const [first, second, last] = await simulator.sent(TO);
    await simulator.network.until('the text is read', () =>
      statuses().some(({ id: of, status }) => of === last?.externalId && status === 'read'),
    );
    const of = (row: object | undefined) =>
      statuses().filter(({ id: of }) => of === Object(row).externalId);
    const [taken, ...afterwards] = of(first);
    assert.deepEqual([taken.status, afterwards], ['sent', []]);
    const [failed, ...others] = of(second);
    assert.deepEqual([failed.status, failed.errors[0].code, others], ['failed', 131009, []]);
  });

  it('read marks and typing are kept apart from messages', async () => {
    await simulator.forget();
    const { id } = await simulator.control('/inbound', SAID);
    const mark = { messaging_product: 'whatsapp', status: 'read' };
    const call = (body: object) => simulator.graph('POST', '/1001/messages', body);
    const typing_indicator = { type: 'text' };
    const marked = await call({ ...mark, message_id: id, typing_indicator });
    assert.deepEqual([marked.status, marked.body], [200, { success: true }]);
    const refused: readonly (readonly [object, number])[] = [
      [mark, 131008],
      [{ ...mark, message_id: 'wamid.none' }, 100],
      [{ ...mark, message_id: id, typing_indicator: { type: 'audio' } }, 131009],
      [{ ...mark, message_id: id, to: TO }, 100],
      [{ ...mark, status: 'delivered', message_id: id }, 131009],
    ];
    for (const [body, code] of refused) {
      assert.equal(recordAt((await call(body)).body, 'error').code, code, JSON.stringify(body));
    }
    const { body } = await simulator.network.control('GET', `/typing?to=${TO}`);
    const marks = listAt(Object(body), 'data').map((each) => {
      const { kind, messageId, to } = Object(each);
      return `${kind} ${messageId} ${to}`;
    });
    assert.deepEqual(marks, [`read ${id} ${TO}`, `typing ${id} ${TO}`]);
    assert.deepEqual(await simulator.sent(TO), []);
  });
});
