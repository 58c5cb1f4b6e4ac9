/** Every body of the simulated bridge against the payload file of its engine, key by key. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { JsonRecord } from '../../../../../infra/adapters/network/webhook-body.ts';
import { payloadNames, payloadOf, shapeOf } from '../../../../support/networks/payloads.ts';
import { openSimulatorFixture, type SimulatorFixture } from './fixture.ts';

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

const BRINGS: ReadonlyMap<string, Bring> = new Map<string, Bring>([
  ['answer', async (simulator) => (await simulator.send(OWN)).body],
  ['message', (simulator) => hook(simulator, 'message.any', { text: 'Bom dia' })],
  [
    'message-hidden',
    (simulator) =>
      hook(simulator, 'message.any', { from: '77@lid', phoneShown: FROM, text: 'Bom dia' }),
  ],
  [
    'own',
    async (simulator) => {
      await simulator.send(OWN);
      return (await simulator.awaitHooks('message.any'))[0];
    },
  ],
  [
    'media',
    (simulator) =>
      hook(simulator, 'message.any', { text: 'A caixa', media: { mimeType: 'image/jpeg', data } }),
  ],
  [
    'media-missing',
    (simulator) => {
      const media = { mimeType: 'image/jpeg', data, notDownloaded: 'error' };
      return hook(simulator, 'message.any', { text: 'A caixa', media });
    },
  ],
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
      await simulator.control('/restriction', { session: 'shop', until: UNTIL });
      await simulator.send(OWN);
      return (await simulator.awaitHooks('message.ack'))[0];
    },
  ],
  ['edited', (simulator) => hook(simulator, 'message.edited', { edits: 'A1', text: 'Bom dia!' })],
  ['revoked', (simulator) => hook(simulator, 'message.revoked', { deletes: 'A1' })],
  [
    'reaction',
    (simulator) => hook(simulator, 'message.reaction', { reaction: { to: 'A1', emoji: '🙏' } }),
  ],
  [
    'cards',
    (simulator) =>
      hook(simulator, 'message.any', { cards: [{ name: 'Téo Reis', phone: '5521987650002' }] }),
  ],
  [
    'place',
    (simulator) => {
      const place = { latitude: -22.9, longitude: -43.2, name: 'Quiosque 7', address: 'Orla, 7' };
      return hook(simulator, 'message.any', { place });
    },
  ],
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
  [
    'error',
    async (simulator) => {
      const message = 'server returned error 463';
      await simulator.control('/faults', { session: 'shop', status: 500, message, times: 1 });
      return (await simulator.send(OWN)).body;
    },
  ],
  [
    'stopped',
    async (simulator) => {
      await simulator.control('/session', { session: 'shop', status: 'SCAN_QR_CODE' });
      return (await simulator.send(OWN)).body;
    },
  ],
  ['unsupported', (simulator) => lookUp(simulator, '/api/shop/new-message-id')],
  ['message-404', (simulator) => lookUp(simulator, '/api/shop/chats/all/messages/3EB0')],
  ['file-404', (simulator) => lookUp(simulator, '/api/files/shop/none.jpeg')],
  ['version', (simulator) => lookUp(simulator, '/api/server/version')],
  ['session', (simulator) => lookUp(simulator, '/api/sessions/shop')],
  ['new-id', (simulator) => lookUp(simulator, '/api/shop/new-message-id')],
  [
    'check',
    async (simulator) => {
      await simulator.control('/people', { digits: FROM, lid: '77@lid' });
      return lookUp(simulator, `/api/contacts/check-exists?phone=${FROM}&session=shop`);
    },
  ],
  [
    'lid',
    async (simulator) => {
      await simulator.control('/people', { digits: FROM, lid: '77@lid' });
      return lookUp(simulator, '/api/shop/lids/77%40lid');
    },
  ],
  [
    'overview',
    async (simulator) => {
      await simulator.control('/inbound', { ...SAID, text: 'Bom dia' });
      return lookUp(simulator, '/api/shop/chats/overview');
    },
  ],
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
  let simulator: SimulatorFixture;
  beforeEach(async () => {
    simulator = await openSimulatorFixture();
  });
  afterEach(() => simulator.close());

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
