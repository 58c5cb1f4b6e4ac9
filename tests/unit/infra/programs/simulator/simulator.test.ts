/** The simulator: Graph's refusals, receipts under load, faults, inbound, forgetting. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { SentLog } from '../../../../../infra/programs/simulator/logs/sent.ts';
import { ChannelDirectory } from '../../../../../infra/programs/simulator/network/channels.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import {
  channelOf,
  useNetworkFixture,
} from '../../../../support/infra/adapters/network/network-fixture.ts';

const FROM = '5511955554444';
const CLOUD = { channelId: 'ch_cloud' };

describe('sandbox', () => {
  const fixture = useNetworkFixture();
  afterEach(async () => {
    fixture.answerWith = () => 200;
    await fixture.control('DELETE', '');
  });

  const post = async (path: string, body: unknown, token = 'token-1001') => {
    const response = await fetch(`${fixture.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { error } = Object(await response.json());
    return { status: response.status, code: error?.code, subcode: error?.error_subcode, error };
  };
  const text = { messaging_product: 'whatsapp', to: '+5511900000001', text: { body: 'oi' } };
  const sendMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_unused, n) =>
        fixture.networks.driver('cloud').sendText(channelOf('cloud'), {
          ...{ messageId: `many_${count}_${n}`, text: `n ${n}` },
          to: `55119${String(n % 50).padStart(8, '0')}`,
        }),
      ),
    );
  const fault = (fields: object) =>
    fixture.control('POST', '/faults', { phoneNumberId: '1001', ...fields });
  const inbound = (fields: object) =>
    fixture.control('POST', '/inbound', { from: FROM, ...fields });
  /** The event of that type which a control has answered with. */
  const eventOf = <T extends 'message' | 'echo'>(type: T, body: unknown) => {
    const isIt = (one: NetworkEvent): one is Extract<NetworkEvent, { type: T }> =>
      one.type === type && 'externalId' in one && one.externalId === Object(body).id;
    return fixture.events.find(isIt) ?? assert.fail(`no ${type} of ${JSON.stringify(body)}`);
  };
  const receiptsOf = (prefix: string) =>
    fixture.events.flatMap((event) =>
      event.type === 'receipt' && event.messageId?.startsWith(prefix) ? [event] : [],
    );

  it('refuses as Graph does: token, object, path, body', async () => {
    const wrongToken = await post('/v26.0/1001/messages', text, 'no');
    assert.deepEqual([wrongToken.status, wrongToken.code], [401, 190]);
    const wrongNumber = await post('/v26.0/4242/messages', text);
    assert.deepEqual([wrongNumber.status, wrongNumber.code, wrongNumber.subcode], [400, 100, 33]);
    assert.equal((await post('/v26.0/1001/nothing', text)).code, 2500);
    assert.equal((await post('/nothing', text)).code, 2500);
    const bodies: [unknown, number][] = [
      ['{', 100],
      [{ ...text, messaging_product: 'sms' }, 100],
      [{ ...text, to: undefined }, 131008],
      [{ ...text, to: 'abc' }, 131009],
      [{ ...text, text: {} }, 131008],
    ];
    for (const [body, code] of bodies) {
      const refused = await post('/v26.0/1001/messages', body);
      assert.deepEqual([refused.status, refused.code], [400, code], JSON.stringify(body));
      assert.ok(refused.error.fbtrace_id && refused.error.type === 'OAuthException');
    }
  });

  it('gathers receipts into batches under load, in order per message', async () => {
    const before = fixture.requests.length;
    const outcomes = await sendMany(600);
    assert.ok(outcomes.every((outcome) => outcome.outcome === 'accepted'));
    await fixture.until('all receipts', () => receiptsOf('many_600_').length === 1_800);
    assert.ok(fixture.requests.length - before < 1_800);
    const ladders = new Map<string, string>();
    for (const { messageId = '', status } of receiptsOf('many_600_')) {
      ladders.set(messageId, `${ladders.get(messageId) ?? ''} ${status}`);
    }
    assert.equal(ladders.size, 600);
    for (const ladder of ladders.values()) assert.equal(ladder, ' sent delivered read');
  });

  it('repeats receipts that were not answered with 200, still in order', async () => {
    const before = fixture.requests.length;
    fixture.answerWith = (n) => (n - before < 3 ? 503 : 200);
    await sendMany(7);
    await fixture.until('all receipts', () => receiptsOf('many_7_').length === 21);
    assert.ok(fixture.requests.length - before > 3);
  });

  it('drops and duplicates receipts when told', async () => {
    await fault({ dropReceipts: true, times: 3 });
    await fault({ duplicateReceipts: true, times: 1 });
    await sendMany(3);
    await sendMany(1);
    await fixture.until('twice each', () => receiptsOf('many_1_').length === 6);
    assert.equal(receiptsOf('many_3_').length, 0);
  });

  it('a contact writes by channel, number or session, once the service has taken it', async () => {
    for (const where of [CLOUD, { phoneNumberId: '1001' }, { session: 'shop' }]) {
      const { status, body } = await inbound({ ...where, text: 'Olá ☀️' });
      assert.equal(status, 200);
      const event = eventOf('message', body);
      assert.deepEqual([event.phone, event.text, event.kind], [FROM, 'Olá ☀️', 'text']);
    }
  });

  it('an inbound message keeps the id it was given, also the second time', async () => {
    const id = 'wamid.same';
    for (const _ of [1, 2]) await inbound({ ...CLOUD, text: 'de novo', id });
    const same = fixture.events.filter((one) => one.type === 'message' && one.externalId === id);
    assert.equal(same.length, 2);
  });

  it('inbound media, opaque ids and echoes', async () => {
    const data = Buffer.from('png').toString('base64');
    const media = { mimeType: 'image/png', fileName: 'a.png', data };
    const sent = await inbound({ ...CLOUD, from: 'BR.150', media });
    const withMedia = eventOf('message', sent.body);
    assert.ok(withMedia.media?.url !== undefined);
    const { phone, networkId, kind } = withMedia;
    assert.deepEqual([phone, networkId, kind], ['', 'BR.150', 'image']);
    const headers = { authorization: 'Bearer token-1001' };
    const bytes = await fetch(withMedia.media.url, { headers });
    assert.equal(await bytes.text(), 'png');
    const echoed = await inbound({ ...CLOUD, text: 'da loja', echo: true });
    assert.equal(eventOf('echo', echoed.body).phone, FROM);
  });

  it('502 with what the service answered when it did not take the message', async () => {
    fixture.answerWith = () => 500;
    const { status, body } = await inbound({ ...CLOUD, text: 'oi' });
    assert.deepEqual([status, Object(body).status], [502, 500]);
  });

  it('says what is wrong with a control call', async () => {
    assert.equal((await inbound({ channelId: 'no', text: 'x' })).status, 404);
    assert.equal((await inbound({ from: undefined, text: 'x' })).status, 400);
    assert.equal((await inbound(CLOUD)).status, 400);
    assert.equal((await fixture.control('POST', '/faults', { status: 500 })).status, 400);
    assert.equal((await fixture.control('GET', '/nothing')).status, 404);
  });

  it('uploads media and gives them back', async () => {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob(['conteúdo'], { type: 'application/pdf' }), 'nota.pdf');
    const headers = { authorization: 'Bearer token-1001' };
    const url = `${fixture.url}/v26.0/1001/media`;
    const { id } = Object(await (await fetch(url, { method: 'POST', headers, body: form })).json());
    const found = Object(await (await fetch(`${fixture.url}/v26.0/${id}`, { headers })).json());
    assert.equal(found.mime_type, 'application/pdf');
    assert.equal(await (await fetch(found.url, { headers })).text(), 'conteúdo');
  });

  it('finds a channel that is added later, at once', async () => {
    const added = { phoneNumberId: '1002', accessToken: 'token-1002' };
    const network = { ...channelOf('cloud').network, ...added };
    const webhookUrl = fixture.channels[0]?.webhookUrl ?? '';
    await sendMany(1);
    const channel = { channelId: 'ch_2', provider: 'cloud', webhookUrl, network } as const;
    fixture.channels = [...fixture.channels, channel];
    const { status } = await post('/v26.0/1002/messages', text, 'token-1002');
    assert.equal(status, 200);
  });

  it('forgets all of it', async () => {
    await sendMany(2);
    await fault({ status: 500 });
    await fixture.control('DELETE', '');
    assert.deepEqual((await fixture.control('GET', '/sent')).body, { data: [] });
    assert.equal((await sendMany(1))[0]?.outcome, 'accepted');
  });
});

describe('sandbox: what it keeps is bounded', () => {
  it('the log of sent messages keeps the newest, in order', () => {
    const log = new SentLog(3);
    const add = (to: string, n: number) =>
      log.add({ to, text: `${n}`, kind: 'text', externalId: `w${n}`, channel: 'c', at: n });
    for (const n of [1, 2, 3, 4, 5]) add('55', n);
    assert.equal(
      log
        .list()
        .map(({ text }) => text)
        .join(),
      '3,4,5',
    );
    log.clear();
    add('56', 6);
    assert.deepEqual([log.list('56').length, log.list('55').length], [1, 0]);
  });

  it('a failing pull leaves the known channels in place', async () => {
    let now = 0;
    let broken = false;
    const clock = { ...systemClock, monotonic: () => now };
    const channel = {
      ...{ channelId: 'c', provider: 'cloud' as const, network: { accessToken: 't' } },
      webhookUrl: 'http://127.0.0.1:1',
    };
    const pull = () => (broken ? Promise.reject(new Error('away')) : Promise.resolve([channel]));
    const directory = new ChannelDirectory(pull, clock);
    assert.ok(await directory.find((set) => set.byId('c')));
    broken = true;
    now = 5_000;
    assert.ok(await directory.find((set) => set.byId('c')));
    assert.equal(await directory.find((set) => set.byId('d')), undefined);
  });
});
