/**
 * The advertisement that first brought a contact (D413): production actors in a world without
 * faults, with reports that come again, over a restart, and under another id of the person.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { type NetworkEventFixture, testEvents } from '../../../support/network-event-fixture.ts';

const PHONE = '5511987650001';
const HIDDEN = 'BR.7001';

const AD = {
  ...{ sourceId: '1', sourceType: 'ad', sourceUrl: 'https://fb.me/7k', clickId: 'ARk0' },
  ...{ headline: 'Oferta', body: null },
};

type Over = Partial<Extract<NetworkEvent, { type: 'message' }>>;

function told({ now }: NetworkEventFixture, externalId: string, over: Over = {}): NetworkEvent {
  const person = { phone: PHONE, networkId: PHONE };
  const said = { kind: 'text', text: 'oi', at: now };
  return { type: 'message', externalId, ...person, ...said, ...over };
}

async function contacts(fixture: NetworkEventFixture) {
  const { data } = await fixture.call({ method: 'GET', path: '/api/v1/contacts' });
  assert.ok(Array.isArray(data));
  return data.map((each) => Object(each));
}

function versionOf({ world }: NetworkEventFixture): unknown {
  return Object(world.database.all('contacts')[0]).version;
}

const iso = (at: number): string => new Date(at).toISOString();

describe('the first advertisement', () => {
  testEvents('stays, however often it or a later one is told', async (fixture) => {
    const { now } = fixture;
    await fixture.deliver('cloud', [told(fixture, 'A1')]);
    assert.ok(!('firstAd' in (await contacts(fixture))[0]), 'a contact of before has none');
    const first = told(fixture, 'A2', { ad: AD, at: now });
    await fixture.deliver('cloud', [first], [first]);
    await fixture.restart();
    await fixture.deliver(
      'cloud',
      [told(fixture, 'A3', { ad: { ...AD, sourceId: '2' } })],
      [first],
    );
    const [contact, ...more] = await contacts(fixture);
    assert.equal(more.length, 0);
    assert.deepEqual(contact.firstAd, { ...AD, at: iso(now) });
    const version = versionOf(fixture);
    await fixture.deliver('cloud', [first]);
    assert.equal(versionOf(fixture), version, 'a report that came before writes nothing');
  });

  testEvents('of a hidden person goes to the contact of their number', async (fixture) => {
    const { now } = fixture;
    const person = { phone: '', networkId: HIDDEN };
    await fixture.deliver('cloud', [told(fixture, 'B1', { ...person, ad: AD, at: now })]);
    await fixture.pass(1_000);
    await fixture.deliver('cloud', [told(fixture, 'B2', { ad: { ...AD, sourceId: '2' } })]);
    await fixture.pass(1_000);
    await fixture.deliver('cloud', [told(fixture, 'B3', { aliases: [HIDDEN] })]);
    const [contact, ...more] = await contacts(fixture);
    assert.equal(more.length, 0, 'the two are one');
    assert.deepEqual(contact.firstAd, { ...AD, at: iso(now) });
  });
});
