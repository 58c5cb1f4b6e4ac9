/** A webhook has events of many people: none waits for another one's look-up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelConfiguration } from '../../../../../actors/channel/readiness/configuration.ts';
import type { RoutingContext } from '../../../../../actors/channel/receiving/receiving-channel.ts';
import type { PersonEvent } from '../../../../../actors/channel/receiving/route-event.ts';
import { routePeople } from '../../../../../actors/channel/receiving/route-people.ts';
import { SentIndex } from '../../../../../actors/channel/sending/sent-index.ts';
import { modelStore, watched } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';

const CONFIGURATION = {
  ...{ orgId: 'org_1', entry: { phone: '551140001000', label: 'Loja' } },
  network: { provider: 'cloud' },
} as unknown as ChannelConfiguration;

interface LookUp {
  readonly networkId: string;
  readonly answer: (found: object) => void;
}

/** Phones are looked up one by one, and answered when the test says so. */
function fixture() {
  const lookUps: LookUp[] = [];
  const database = new Database();
  const asked: string[] = [];
  const findPhone = (_network: unknown, networkId: string) =>
    new Promise<object>((answer) => lookUps.push({ networkId, answer }));
  const environment = {
    ids: { fresh: () => 'cmd_1', derive: (...parts: readonly string[]) => parts.join('.') },
    networks: { driver: () => ({ findPhone }) },
    log: { warn: () => undefined },
    store: watched(modelStore(database), { find: (from) => asked.push(from) }),
  };
  const sent = new SentIndex('chn_1');
  const context = { channelId: 'chn_1', environment, sent } as unknown as RoutingContext;
  return {
    ...{ lookUps, database, asked, sent },
    route: (events: readonly PersonEvent[]) => routePeople(context, CONFIGURATION, events),
  };
}

function call(networkId: string, callId: string): PersonEvent {
  return { type: 'call', phone: '', networkId, callId, at: 7_000 };
}

const settled = (): Promise<void> => new Promise((go) => setImmediate(go));
const phoneOf = (networkId: string) => ({ known: true, phone: networkId, networkId });

test('people are looked up side by side, one person’s events in their order', async () => {
  const { lookUps, route } = fixture();
  const people = ['5511900000001', '5511900000002', '5511900000003'];
  const events = ['a', 'b'].flatMap((callId) => people.map((id) => call(id, `${id}-${callId}`)));
  const routed = route(events);
  await settled();
  assert.deepEqual(
    lookUps.map(({ networkId }) => networkId),
    people,
  );
  for (let at = 0; at < events.length; at++) {
    const { networkId, answer } = lookUps[at] ?? assert.fail('nobody is looked up');
    answer(phoneOf(networkId));
    await settled();
  }
  const callIds = (await routed).map((each) => each && Object(each).command.callId);
  assert.deepEqual(
    callIds,
    events.map((event) => Object(event).callId),
  );
});

test('after a look-up without an answer nobody else is looked up', async () => {
  const { lookUps, route } = fixture();
  const many = Array.from({ length: 500 }, (_, at) =>
    call(`55119${String(at).padStart(8, '0')}`, `${at}`),
  );
  const routed = route(many);
  await settled();
  const begun = lookUps.length;
  assert.ok(begun > 1 && begun < many.length, 'not all at once');
  for (const { answer } of lookUps) answer({ known: false, cause: 'no answer' });
  assert.ok((await routed).every((each) => each === undefined));
  assert.equal(lookUps.length, begun);
});

function sentEntry(at: number, origin: 'api' | 'network') {
  const names = { channelId: 'chn_1', externalId: `wamid.${at}`, conversationId: `cnv_${at}` };
  return { _id: `msg_${at}`, ...names, seq: 1, message: { direction: 'out', origin }, after: {} };
}

for (const [by, own] of [
  ['the network’s', false],
  ['our own', true],
] as const) {
  test(`the messages of a webhook of old statuses are read at once, by ${by} ids`, async () => {
    const { database, asked, route, sent } = fixture();
    const known = Array.from({ length: 700 }, (_, at) => at);
    for (const at of known) {
      database.apply({ insert: 'entries', document: sentEntry(at, at === 7 ? 'network' : 'api') });
    }
    const statuses = known.map(
      (at): PersonEvent => ({
        ...{ type: 'receipt', status: 'read', at: 9_000, externalId: `wamid.${at}` },
        ...(own ? { messageId: `msg_${at}` } : {}),
      }),
    );
    const routed = await route(statuses);
    assert.deepEqual(
      routed.map((each) => each && Object(each).conversationId),
      known.map((at) => `cnv_${at}`),
    );
    assert.deepEqual(asked, ['entries', 'entries'], 'in two reads of five hundred at most');
    assert.equal(sent.find('wamid.7'), undefined, 'typed on the phone: no send of ours');
  });
}
