/** Every body of the simulated bridge against the payload file of its engine, key by key. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonRecord } from '../../../../../../infra/adapters/network/webhook-body.ts';
import { payloadNames, payloadOf, shapeOf } from '../../../../../support/networks/payloads.ts';
import { type SimulatorFixture, simulatorOf } from '../fixture.ts';

const FROM = '5521987650001';
const OWN = { text: 'Seu pedido saiu' };
const SAID = { session: 'shop', from: FROM, name: 'Dora Lima' };
const UNTIL = Date.now() + 3_600_000;
const data = Buffer.from('bytes').toString('base64');

/** How each file's body is brought about; the rest of its name follows the engine. */
type Bring = (simulator: SimulatorFixture) => Promise<unknown>;

async function hook(simulator: SimulatorFixture, event: string, inbound: JsonRecord) {
  await simulator.control('/inbound', { ...SAID, ...inbound });
  return simulator.hooks(event)[0];
}

async function lookUp({ bridge }: SimulatorFixture, path: string): Promise<unknown> {
  const { body } = await bridge('GET', path);
  return body.list ?? body;
}

const replied: Bring = async (simulator) => {
  const { body } = await simulator.send({ ...OWN, chatId: `${FROM}@c.us`, id: 'A1' });
  assert.ok(body.id);
  await simulator.awaitHooks('message.any');
  await simulator.control('/inbound', { ...SAID, text: 'Bom dia', replyTo: 'A1' });
  return simulator.hooks('message.any').at(-1);
};

const anyMessage =
  (inbound: JsonRecord): Bring =>
  (simulator) =>
    hook(simulator, 'message.any', inbound);
const looked =
  (path: string): Bring =>
  (simulator) =>
    lookUp(simulator, path);
const PICTURE = { mimeType: 'image/jpeg', data };
const PLACE = { latitude: -22.9, longitude: -43.2, name: 'Quiosque 7', address: 'Orla, 7' };
const COFFEE = { catalog_id: '88', product_retailer_id: 'CAFE-1' };
const ADVERT = {
  ...{ source_url: 'https://fb.me/7k', source_id: '120900', source_type: 'ad', ctwa_clid: 'AR' },
  ...{ headline: 'Aquecedores em oferta', body: 'Só esta semana' },
};
const PERSON = { digits: FROM, lid: '77@lid' };
/** After a control, the body of the send that it concerns. */
const sentAfter =
  (control: string, fields: object): Bring =>
  async (simulator) => {
    await simulator.control(control, { session: 'shop', ...fields });
    return (await simulator.send(OWN)).body;
  };
const lookedAfter =
  (control: string, fields: object, path: string): Bring =>
  async (simulator) => {
    await simulator.control(control, fields);
    return lookUp(simulator, path);
  };

const BRINGS: ReadonlyMap<string, Bring> = new Map<string, Bring>([
  ['answer', async (simulator) => (await simulator.send(OWN)).body],
  ['message', anyMessage({ text: 'Bom dia' })],
  ['message-hidden', anyMessage({ from: '77@lid', phoneShown: FROM, text: 'Bom dia' })],
  [
    'own',
    async (simulator) => {
      await simulator.send(OWN);
      return (await simulator.awaitHooks('message.any'))[0];
    },
  ],
  ['media', anyMessage({ text: 'A caixa', media: PICTURE })],
  ['media-missing', anyMessage({ text: 'A caixa', media: { ...PICTURE, notDownloaded: 'error' } })],
  [
    'ack',
    async (simulator) => {
      await simulator.send(OWN);
      await simulator.network.until('read', () => reads(simulator).length > 0);
      return reads(simulator)[0];
    },
  ],
  [
    'ack-restricted',
    async (simulator) => {
      await sentAfter('/restriction', { until: UNTIL })(simulator);
      return (await simulator.awaitHooks('message.ack'))[0];
    },
  ],
  ['edited', (simulator) => hook(simulator, 'message.edited', { edits: 'A1', text: 'Bom dia!' })],
  ['revoked', (simulator) => hook(simulator, 'message.revoked', { deletes: 'A1' })],
  [
    'reaction',
    (simulator) => hook(simulator, 'message.reaction', { reaction: { to: 'A1', emoji: '🙏' } }),
  ],
  ['cards', anyMessage({ cards: [{ name: 'Téo Reis', phone: '5521987650002' }] })],
  ['ad', anyMessage({ text: 'Bom dia', referral: ADVERT })],
  ['product', anyMessage({ text: 'Bom dia', product: COFFEE })],
  [
    'order',
    anyMessage({ order: { catalog_id: '88', text: 'Para hoje', product_items: [COFFEE] } }),
  ],
  ['place', anyMessage({ place: PLACE })],
  ['reply', replied],
  [
    'status',
    async (simulator) => {
      await simulator.control('/session', { session: 'shop', status: 'WORKING' });
      await simulator.awaitHooks('session.status');
      await simulator.control('/restriction', { session: 'shop', until: UNTIL });
      return bridgeTells(simulator);
    },
  ],
  ['error', sentAfter('/faults', { status: 500, message: 'server returned error 463', times: 1 })],
  ['stopped', sentAfter('/session', { status: 'SCAN_QR_CODE' })],
  ['unsupported', looked('/api/shop/new-message-id')],
  ['message-404', looked('/api/shop/chats/all/messages/3EB0')],
  ['file-404', looked('/api/files/shop/none.jpeg')],
  ['version', looked('/api/server/version')],
  ['session', looked('/api/sessions/shop')],
  ['new-id', looked('/api/shop/new-message-id')],
  [
    'check',
    lookedAfter('/people', PERSON, `/api/contacts/check-exists?phone=${FROM}&session=shop`),
  ],
  ['lid', lookedAfter('/people', PERSON, '/api/shop/lids/77%40lid')],
  ['overview', lookedAfter('/inbound', { ...SAID, text: 'Bom dia' }, '/api/shop/chats/overview')],
]);

function reads(simulator: SimulatorFixture): readonly JsonRecord[] {
  return simulator.hooks('message.ack').filter((body) => Object(body.payload).ack === 3);
}

/** WEBJS has nothing more to tell of a restriction than its state. */
async function bridgeTells(simulator: SimulatorFixture): Promise<JsonRecord | undefined> {
  const { body } = await simulator.bridge('GET', '/api/sessions/shop');
  const count = Object(body.engine).engine === 'WEBJS' ? 1 : 2;
  return (await simulator.awaitHooks('session.status', count)).at(-1);
}

describe('the simulated bridge speaks as its sources show', () => {
  const simulator = simulatorOf('each test');

  for (const name of payloadNames('web', 'sim-')) {
    it(name, async () => {
      const [, engine = '', what = ''] = /^sim-(webjs|noweb|gows)-(.+)$/.exec(name) ?? [];
      const older = what === 'answer-before' ? { version: '2026.6.3' } : {};
      await simulator.control('/engines', { session: 'shop', engine, ...older });
      const bring = BRINGS.get(what.replace(/-before$/, ''));
      assert.ok(bring, `nothing brings about ${name}`);
      assert.deepEqual(shapeOf(await bring(simulator)), shapeOf(payloadOf('web', name)));
    });
  }
});
