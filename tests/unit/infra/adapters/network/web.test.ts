/** The `web` driver against the simulated QR bridge, and the bridge's webhook. */

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { DoubtfulSend, SentLookup } from '../../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import {
  channelOf,
  openNetworkFixture,
  useNetworkFixture,
} from '../../../../support/infra/adapters/network/network-fixture.ts';
import { json, record } from '../../../../support/stand-ins/server.ts';
import { parsed } from './web-payloads.ts';

const TEXT = { messageId: 'msg_1', to: '5511988887777', text: 'Olá' };

const fixture = useNetworkFixture();
afterEach(() => fixture.control('DELETE', ''));

describe('web: sending against the simulator', () => {
  const send = (changes: Record<string, string> = {}) =>
    fixture.networks.driver('web').sendText(channelOf('web', changes), TEXT);
  const fault = (fields: Record<string, unknown>) =>
    fixture.control('POST', '/faults', { session: 'shop', ...fields });

  it('accepted, then delivered and read in order: GOWS tells no acknowledgement of the server', async () => {
    const outcome = await send();
    assert.ok(outcome.outcome === 'accepted');
    const own = () =>
      fixture.events.flatMap((e) =>
        e.type === 'receipt' && e.externalId === outcome.externalId ? [e.status] : [],
      );
    await fixture.until('two receipts', () => own().length === 2);
    assert.deepEqual(own(), ['delivered', 'read']);
    const { body } = await fixture.control('GET', '/sent?to=5511988887777');
    assert.equal(Object(body).data[0].channel, 'ch_web');
  });

  it('a wrong key is a fault; an unknown and a stopped session stop the channel', async () => {
    const key = await send({ apiKey: 'no' });
    assert.ok(key.outcome === 'later' && /chave de acesso/.test(key.fault?.reason ?? ''));
    const session = await send({ session: 'other' });
    assert.ok(session.outcome === 'later' && /sessão/.test(session.channelReason ?? ''));
    await fault({ status: 422 });
    const stopped = await send();
    assert.ok(stopped.outcome === 'later' && /parada/.test(stopped.channelReason ?? ''));
    const status = await fixture.networks.driver('web').status(channelOf('web'));
    assert.ok(status.ready === false && /parada/.test(status.reason));
  });

  it('a 5xx is in doubt, a reach-out lock is final, a lost answer unknown', async () => {
    await fault({ status: 500, times: 1 });
    assert.equal((await send()).outcome, 'unknown');
    await fault({ status: 500, code: 463, times: 1 });
    const locked = await send();
    assert.ok(locked.outcome === 'refused' && locked.restriction?.until === null);
    await fault({ loseAnswer: true, times: 1 });
    assert.equal((await send()).outcome, 'unknown');
  });

  it('ready when the session works; without an address it is not', async () => {
    const driver = fixture.networks.driver('web');
    assert.equal((await driver.status(channelOf('web'))).ready, true);
    const bare = await driver.status(channelOf('web', { baseUrl: '' }));
    assert.ok(bare.ready === false && /baseUrl/.test(bare.reason));
  });
});

describe('web: looking for a send whose answer was lost', () => {
  const idIn = (lookup?: SentLookup) => (lookup?.found === true ? lookup.externalId : lookup);
  const look = (more: Partial<DoubtfulSend> = {}, changes: Record<string, string> = {}) => {
    const message = { ...TEXT, handedOverAt: Date.now(), recorded: new Set<string>(), ...more };
    return fixture.networks.driver('web').findSent?.(channelOf('web', changes), message);
  };

  it('found by its text among those that are not accounted for', async () => {
    assert.equal((await look())?.found, 'never');
    const driver = fixture.networks.driver('web');
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      const sent = await driver.sendText(channelOf('web'), TEXT);
      ids.push(sent.outcome === 'accepted' ? sent.externalId : '');
    }
    assert.equal(idIn(await look()), ids[0]);
    const recorded = new Set(ids.slice(0, 1));
    assert.equal(idIn(await look({ recorded })), ids[1]);
    assert.equal((await look({ recorded: new Set(ids) }))?.found, 'never');
    assert.equal((await look({ text: 'outra' }))?.found, 'never');
    assert.equal((await look({ handedOverAt: Date.now() + 120_000 }))?.found, 'never');
  });

  it('no answer, a 5xx, a session that is closed: it has to be asked again', async () => {
    await fixture.control('POST', '/faults', { session: 'shop', status: 503 });
    assert.equal((await look())?.found, 'unknown');
    assert.equal((await look({}, { apiKey: 'no' }))?.found, 'unknown');
    const away = await openNetworkFixture();
    await away.close();
    const asked = { ...TEXT, handedOverAt: 0, recorded: new Set<string>() };
    const gone = await away.networks.driver('web').findSent?.(channelOf('web'), asked);
    assert.equal(gone?.found, 'unknown');
  });

  it('a bridge that knows no such thing: as if it were not there', async () => {
    await using server = await record(({ path }) =>
      path === '/api/sendText' ? json({ id: 'true_x@c.us_1' }, 201) : json({}, 404),
    );
    const networks = createNetworks({ clock: systemClock, resolveBaseUrl: () => server.url });
    const driver = networks.driver('web');
    const doubtful = { ...TEXT, to: '5531988887777', handedOverAt: 0, recorded: new Set<string>() };
    assert.equal((await driver.findSent?.(channelOf('web'), doubtful))?.found, 'never');
    const sent = await driver.sendText(channelOf('web'), doubtful);
    assert.equal(sent.outcome, 'accepted', 'nor does it need to know who is registered');
    const hidden = await driver.findPhone?.(channelOf('web'), '77@lid');
    assert.deepEqual(hidden, { known: true, phone: '', networkId: '77@lid' });
    await networks.close();
  });
});

describe('web: people', () => {
  it('the phone behind a hidden id, once the bridge knows it', async () => {
    const find = () => fixture.networks.driver('web').findPhone?.(channelOf('web'), '78@lid');
    assert.deepEqual(await find(), { known: true, phone: '', networkId: '78@lid' });
    const body = { session: 'shop', from: '78@lid', text: 'oi', phoneKnown: '5531988887777' };
    await fixture.control('POST', '/inbound', body);
    const known = { known: true, phone: '5531988887777', networkId: '5531988887777@c.us' };
    assert.deepEqual(await find(), known);
  });

  it('the form under which somebody is registered is the one sent to', async () => {
    const send = (to: string) =>
      fixture.networks.driver('web').sendText(channelOf('web'), { ...TEXT, to });
    const said = { session: 'shop', from: '553188887777', text: 'oi' };
    await fixture.control('POST', '/inbound', said);
    const outcome = await send('5531988887777');
    assert.ok(outcome.outcome === 'accepted' && outcome.networkId === '553188887777@c.us');
  });
});

describe('web: webhook', () => {
  const event = (name: string, payload: unknown, session = 'shop') => {
    return { event: name, session, timestamp: 1_741_249_702_485, payload };
  };
  function only(value: unknown): NetworkEvent | undefined {
    const outcome = parsed(value);
    assert.ok(outcome.verified && 'events' in outcome);
    return outcome.events[0];
  }
  const message = {
    ...{ id: 'false_1@c.us_3EB0', from: '5531988887777@c.us', body: 'oi' },
    timestamp: 1_667_561_485,
  };

  it('refuses a wrong signature and a body of another shape', () => {
    assert.deepEqual(parsed(event('message', message), 'no'), { verified: false });
    for (const body of ['x', '[]', '{}', { event: 'message' }]) {
      const outcome = parsed(body);
      assert.ok(outcome.verified && 'malformed' in outcome);
    }
  });

  it('a message, a hidden id with and without a phone, a group', () => {
    const plain = only(event('message', message));
    assert.ok(plain?.type === 'message' && plain.phone === '5531988887777');
    assert.equal(plain.at, 1_667_561_485_000);
    const hidden = only(event('message', { ...message, from: '77@lid' }));
    assert.ok(hidden?.type === 'message' && hidden.phone === '' && hidden.networkId === '77@lid');
    const _data = { key: { remoteJidAlt: '5531988887777@s.whatsapp.net' } };
    const shown = only(event('message', { ...message, from: '77@lid', _data }));
    assert.ok(shown?.type === 'message' && shown.phone === '5531988887777');
    assert.equal(only(event('message', { ...message, from: '1-2@g.us' })), undefined);
  });

  it('what a person typed on the phone is an echo; what we sent is nothing', () => {
    const own = { ...message, fromMe: true, to: '5531988887777@c.us' };
    const typed = only(event('message.any', { ...own, source: 'app' }));
    assert.ok(typed?.type === 'echo' && typed.phone === '5531988887777');
    assert.equal(only(event('message.any', { ...own, source: 'api' })), undefined);
  });

  it('engines name the chat of our own messages differently: it is found', () => {
    const chat = '5531988887777@c.us';
    const me = '551140001000@c.us';
    const id = `true_${chat}_3EB0`;
    for (const named of [
      { from: chat },
      { from: me, to: chat },
      { from: me, to: null },
      { from: '551140001000:12@s.whatsapp.net' },
    ]) {
      const payload = { id, ...named, fromMe: true, source: 'app', body: 'a' };
      const typed = only({ ...event('message.any', payload), me: { id: me } });
      assert.ok(typed?.type === 'echo' && typed.networkId === chat, JSON.stringify(payload));
      const ack = only({ ...event('message.ack', { ...payload, ack: 2 }), me: { id: me } });
      assert.ok(ack?.type === 'receipt' && ack.phone === '5531988887777');
      assert.equal(ack.at, 1_741_249_702_485, 'the time of the ack, not of the message');
    }
  });

  it('acks are the ladder, the session is readiness, another session is foreign', () => {
    const ladder = [-1, 0, 1, 2, 3, 4].map((ack) => {
      const found = only(event('message.ack', { id: 'true_1', fromMe: true, ack }));
      return found?.type === 'receipt' ? found.status : null;
    });
    assert.deepEqual(ladder, ['failed', null, 'sent', 'delivered', 'read', 'read']);
    const lost = only(event('session.status', { status: 'SCAN_QR_CODE' }));
    assert.ok(lost?.type === 'readiness' && lost.readiness.ready === false);
    const foreign = parsed(event('message', message, 'other'));
    assert.ok(foreign.verified && 'events' in foreign && foreign.foreign === 1);
  });
});
