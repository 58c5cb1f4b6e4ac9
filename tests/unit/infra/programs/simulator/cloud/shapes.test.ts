/** Every body of the simulated Cloud API against its payload file, key by key. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonRecord, listAt } from '../../../../../../infra/adapters/network/webhook-body.ts';
import { payloadNames, payloadOf, shapeOf } from '../../../../../support/networks/payloads.ts';
import { type SimulatorFixture, simulatorOf } from '../fixture.ts';
import { bringNewer } from './newer-bodies.ts';

const FROM = '5521987650001';
const TEXT = { messaging_product: 'whatsapp', to: FROM, text: { body: 'Oi' } };
const data = Buffer.from('bytes').toString('base64');
const text = 'Bom dia';

const COFFEE = { product_retailer_id: 'CAFE', quantity: 1, item_price: 9, currency: 'BRL' };
const CATALOG = { catalog_id: '88' };
const ADVERT = {
  ...{ source_url: 'https://example.com/a', source_id: '1', source_type: 'ad', headline: 'h' },
  ...{ body: 'b', media_type: 'image', image_url: 'https://example.com/i.jpg', ctwa_clid: 'c' },
};
const CHANGED = { wa_id: '5521987650009', user_id: 'BR.1', previous_user_id: 'BR.2' };

/** Input of the control for each file of an inbound message. */
const SAID: ReadonlyMap<string, JsonRecord> = new Map<string, JsonRecord>([
  ['text', { text }],
  ['text-parent', { text, parentUserId: 'BR.ENT.1', username: 'dora.lima' }],
  ['text-hidden', { text, from: 'BR.150' }],
  ['echo', { text, echo: true }],
  ['edit', { edits: 'wamid.1', text: 'Bom dia!' }],
  ['revoke', { deletes: 'wamid.1' }],
  ['reaction', { reaction: { to: 'wamid.1', emoji: '🙏' } }],
  ['group', { text, group: 'Z3JvdXA=' }],
  ['order', { order: { catalog_id: '1', text: '', product_items: [COFFEE] } }],
  ['form', { form: { nota: '5' }, replyTo: 'wamid.1' }],
  ['button', { button: { text: 'Sim', payload: 'SIM' } }],
  ['choice', { choice: { id: 'sim', title: 'Sim' } }],
  ['referral', { text, referral: ADVERT }],
  ['product', { text, replyTo: 'wamid.1', product: { ...CATALOG, product_retailer_id: 'CAFE' } }],
  ['voice', { media: { mimeType: 'audio/ogg; codecs=opus', data, voice: true } }],
  ['image', { media: { mimeType: 'image/jpeg', data, caption: 'A caixa' } }],
  ['place', { place: { latitude: -1.5, longitude: -2.5, name: 'n', address: 'a' } }],
  ['cards', { cards: [{ name: 'Téo Reis', phone: '5521987650002' }] }],
  ['unsupported', { unsupported: true }],
  ['system', { system: { type: 'user_changed_number', body: 'b', ...CHANGED } }],
]);

/** Paths whose answer is the body. */
const READ: Readonly<Record<string, string>> = {
  token: '/debug_token?input_token=token-1001',
  apps: '/waba-1001/subscribed_apps',
  callback: '/1001?fields=webhook_configuration',
};

const STATUSES: Readonly<Record<string, string>> = {
  'status-sent': 'sent',
  'status-read': 'read',
  'status-failed': 'failed',
};

/** The body with that status alone; receipts that gather share a body. Null without one. */
function withStatus(body: JsonRecord, wanted: string): JsonRecord | null {
  const only = structuredClone(body);
  const { value } = Object(only.entry)[0].changes[0];
  value.statuses = listAt(value, 'statuses').filter((each) => Object(each).status === wanted);
  return value.statuses.length > 0 ? only : null;
}

async function told(simulator: SimulatorFixture, inbound: JsonRecord): Promise<unknown> {
  const where = { phoneNumberId: '1001', from: FROM, name: 'Dora Lima' };
  await simulator.control('/inbound', { ...where, ...inbound });
  const [message] = simulator.hooks('messages');
  return message ?? simulator.hooks('smb_message_echoes')[0];
}

async function status(simulator: SimulatorFixture, wanted: string): Promise<unknown> {
  const fails = { phoneNumberId: '1001', failReceiptCode: 131047, times: 1 };
  if (wanted === 'failed') await simulator.control('/faults', fails);
  await simulator.graph('POST', '/1001/messages', { ...TEXT, biz_opaque_callback_data: 'msg_1' });
  const found = () => simulator.hooks('statuses').flatMap((body) => withStatus(body, wanted) ?? []);
  await simulator.network.until(wanted, () => found().length > 0);
  return found()[0];
}

async function refused(simulator: SimulatorFixture, code: number): Promise<unknown> {
  await simulator.control('/faults', { phoneNumberId: '1001', code, times: 1 });
  return (await simulator.graph('POST', '/1001/messages', TEXT)).body;
}

async function account(simulator: SimulatorFixture): Promise<unknown> {
  const restriction_info = [{ restriction_type: 'RESTRICTED_ADD_PHONE', expiration: 1 }];
  const value = { event: 'ACCOUNT_RESTRICTION', restriction_info };
  await simulator.control('/account', { phoneNumberId: '1001', value });
  return simulator.hooks('account_update')[0];
}

async function health(simulator: SimulatorFixture): Promise<unknown> {
  const errors = [{ error_code: 141006, error_description: 'd', possible_solution: 's' }];
  await simulator.control('/health', { phoneNumberId: '1001', canSend: 'BLOCKED', errors });
  return (await simulator.graph('GET', '/1001?fields=health_status')).body;
}

async function asApp(simulator: SimulatorFixture): Promise<unknown> {
  const url = `${simulator.network.url}/v26.0/2/subscriptions`;
  const headers = { authorization: 'Bearer 2|app-secret' };
  return (await fetch(url, { headers })).json();
}

async function bring(simulator: SimulatorFixture, what: string): Promise<unknown> {
  const said = SAID.get(what);
  if (said !== undefined) return told(simulator, said);
  const wanted = STATUSES[what];
  if (wanted !== undefined) return status(simulator, wanted);
  const path = READ[what];
  if (path !== undefined) return (await simulator.graph('GET', path)).body;
  const newer = await bringNewer(simulator, what);
  if (newer !== undefined) return newer;
  switch (what) {
    case 'account':
      return account(simulator);
    case 'health':
      return health(simulator);
    case 'app':
      return asApp(simulator);
    case 'answer':
      return (await simulator.graph('POST', '/1001/messages', TEXT)).body;
    case 'answer-hidden': {
      const hidden = { ...TEXT, to: undefined, recipient: 'BR.150' };
      return (await simulator.graph('POST', '/1001/messages', hidden)).body;
    }
    case 'error':
      return refused(simulator, 131048);
    case 'error-transient':
      return refused(simulator, 2);
    default:
      return assert.fail(`nothing brings about ${what}`);
  }
}

describe('the simulated Cloud API speaks as its sources show', () => {
  const simulator = simulatorOf('each test');

  for (const name of payloadNames('cloud', 'sim-')) {
    it(name, async () => {
      const body = await bring(simulator, name.replace('sim-', ''));
      assert.deepEqual(shapeOf(body), shapeOf(payloadOf('cloud', name)));
    });
  }
});

describe('a shape', () => {
  it('differs by a key, by a type, and by a null', () => {
    const shape = shapeOf({ id: 'a', list: [{ n: 1 }, { n: 2 }] });
    assert.deepEqual(shape, shapeOf({ list: [{ n: 3 }], id: 'b' }));
    const list = [{ n: 1 }];
    for (const other of [{ id: 'a' }, { id: 1, list }, { id: null, list }]) {
      assert.notDeepEqual(shapeOf(other), shape);
    }
  });
});
