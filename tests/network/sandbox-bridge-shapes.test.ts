/** Every body of the simulated bridge against the payload file of its engine, key by key. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { JsonRecord } from '../../infra/network/json-shape.ts';
import { payloadNames, payloadOf, shapeOf } from './payloads.ts';
import { type SandboxFixture, setSandbox } from './sandbox-fixture.ts';

const FROM = '5521987650001';
const OWN = { text: 'Seu pedido saiu' };
const SAID = { session: 'shop', from: FROM, name: 'Dora Lima' };
const UNTIL = Date.now() + 3_600_000;
const data = Buffer.from('bytes').toString('base64');

/** How each file's body is brought about; the rest of its name follows the engine. */
type Bring = (sandbox: SandboxFixture) => Promise<unknown>;

async function hook(sandbox: SandboxFixture, event: string, inbound: JsonRecord) {
  await sandbox.control('/inbound', { ...SAID, ...inbound });
  return sandbox.hooks(event)[0];
}

async function lookUp({ bridge }: SandboxFixture, path: string): Promise<unknown> {
  const { body } = await bridge('GET', path);
  return body.list ?? body;
}

const replied: Bring = async (sandbox) => {
  const { body } = await sandbox.send({ ...OWN, chatId: `${FROM}@c.us`, id: 'A1' });
  assert.ok(body.id);
  await sandbox.awaitHooks('message.any');
  await sandbox.control('/inbound', { ...SAID, text: 'Bom dia', replyTo: 'A1' });
  return sandbox.hooks('message.any').at(-1);
};

const BRINGS: ReadonlyMap<string, Bring> = new Map<string, Bring>([
  ['answer', async (sandbox) => (await sandbox.send(OWN)).body],
  ['message', (sandbox) => hook(sandbox, 'message.any', { text: 'Bom dia' })],
  [
    'message-hidden',
    (sandbox) =>
      hook(sandbox, 'message.any', { from: '77@lid', phoneShown: FROM, text: 'Bom dia' }),
  ],
  [
    'own',
    async (sandbox) => {
      await sandbox.send(OWN);
      return (await sandbox.awaitHooks('message.any'))[0];
    },
  ],
  [
    'media',
    (sandbox) =>
      hook(sandbox, 'message.any', { text: 'A caixa', media: { mimeType: 'image/jpeg', data } }),
  ],
  [
    'media-missing',
    (sandbox) => {
      const media = { mimeType: 'image/jpeg', data, notDownloaded: 'error' };
      return hook(sandbox, 'message.any', { text: 'A caixa', media });
    },
  ],
  [
    'ack',
    async (sandbox) => {
      await sandbox.send(OWN);
      await sandbox.stage.until('read', () => reads(sandbox).length > 0);
      return reads(sandbox)[0];
    },
  ],
  [
    'ack-restricted',
    async (sandbox) => {
      await sandbox.control('/restriction', { session: 'shop', until: UNTIL });
      await sandbox.send(OWN);
      return (await sandbox.awaitHooks('message.ack'))[0];
    },
  ],
  ['edited', (sandbox) => hook(sandbox, 'message.edited', { edits: 'A1', text: 'Bom dia!' })],
  ['revoked', (sandbox) => hook(sandbox, 'message.revoked', { deletes: 'A1' })],
  [
    'reaction',
    (sandbox) => hook(sandbox, 'message.reaction', { reaction: { to: 'A1', emoji: '🙏' } }),
  ],
  [
    'cards',
    (sandbox) =>
      hook(sandbox, 'message.any', { cards: [{ name: 'Téo Reis', phone: '5521987650002' }] }),
  ],
  [
    'place',
    (sandbox) => {
      const place = { latitude: -22.9, longitude: -43.2, name: 'Quiosque 7', address: 'Orla, 7' };
      return hook(sandbox, 'message.any', { place });
    },
  ],
  ['reply', replied],
  [
    'status',
    async (sandbox) => {
      await sandbox.control('/session', { session: 'shop', status: 'WORKING' });
      await sandbox.awaitHooks('session.status');
      await sandbox.control('/restriction', { session: 'shop', until: UNTIL });
      return bridgeTells(sandbox);
    },
  ],
  [
    'error',
    async (sandbox) => {
      const message = 'server returned error 463';
      await sandbox.control('/faults', { session: 'shop', status: 500, message, times: 1 });
      return (await sandbox.send(OWN)).body;
    },
  ],
  [
    'stopped',
    async (sandbox) => {
      await sandbox.control('/session', { session: 'shop', status: 'SCAN_QR_CODE' });
      return (await sandbox.send(OWN)).body;
    },
  ],
  ['unsupported', (sandbox) => lookUp(sandbox, '/api/shop/new-message-id')],
  ['message-404', (sandbox) => lookUp(sandbox, '/api/shop/chats/all/messages/3EB0')],
  ['file-404', (sandbox) => lookUp(sandbox, '/api/files/shop/none.jpeg')],
  ['version', (sandbox) => lookUp(sandbox, '/api/server/version')],
  ['session', (sandbox) => lookUp(sandbox, '/api/sessions/shop')],
  ['new-id', (sandbox) => lookUp(sandbox, '/api/shop/new-message-id')],
  [
    'check',
    async (sandbox) => {
      await sandbox.control('/people', { digits: FROM, lid: '77@lid' });
      return lookUp(sandbox, `/api/contacts/check-exists?phone=${FROM}&session=shop`);
    },
  ],
  [
    'lid',
    async (sandbox) => {
      await sandbox.control('/people', { digits: FROM, lid: '77@lid' });
      return lookUp(sandbox, '/api/shop/lids/77%40lid');
    },
  ],
  [
    'overview',
    async (sandbox) => {
      await sandbox.control('/inbound', { ...SAID, text: 'Bom dia' });
      return lookUp(sandbox, '/api/shop/chats/overview');
    },
  ],
]);

function reads(sandbox: SandboxFixture): readonly JsonRecord[] {
  return sandbox.hooks('message.ack').filter((body) => Object(body.payload).ack === 3);
}

/** WEBJS has nothing more to tell of a restriction than its state. */
async function bridgeTells(sandbox: SandboxFixture): Promise<JsonRecord | undefined> {
  const { body } = await sandbox.bridge('GET', '/api/sessions/shop');
  const count = Object(body.engine).engine === 'WEBJS' ? 1 : 2;
  return (await sandbox.awaitHooks('session.status', count)).at(-1);
}

describe('the simulated bridge speaks as its sources show', () => {
  let sandbox: SandboxFixture;
  beforeEach(async () => {
    sandbox = await setSandbox();
  });
  afterEach(() => sandbox.close());

  for (const name of payloadNames('web', 'sim-')) {
    it(name, async () => {
      const [, engine = '', what = ''] = /^sim-(webjs|noweb|gows)-(.+)$/.exec(name) ?? [];
      const older = what === 'answer-before' ? { version: '2026.6.3' } : {};
      await sandbox.control('/engines', { session: 'shop', engine, ...older });
      const bring = BRINGS.get(what.replace(/-before$/, ''));
      assert.ok(bring, `nothing brings about ${name}`);
      assert.deepEqual(shapeOf(await bring(sandbox)), shapeOf(payloadOf('web', name)));
    });
  }
});
