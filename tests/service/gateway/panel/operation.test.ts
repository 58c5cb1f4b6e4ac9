/** The operator's screen, and the last calls of an inbound webhook. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { PARTITIONS } from '../../../../shared/limits.ts';
import { assertStatus, parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { pluck } from '../../../support/pluck.ts';
import { startSubscriber } from '../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

const OperationSchema = v.object({
  data: v.object({
    processes: v.array(
      v.looseObject({
        id: v.string(),
        kinds: v.array(v.string()),
        partitions: v.record(
          v.string(),
          v.array(v.object({ from: v.number(), to: v.number(), epoch: v.number() })),
        ),
      }),
    ),
    others: v.array(v.object({ id: v.string(), role: v.string() })),
    agendas: v.array(v.object({ agenda: v.string(), oldestDueMs: v.number() })),
    breakers: v.array(
      v.looseObject({
        subscriptionId: v.string(),
        organization: v.looseObject({ name: v.string() }),
        url: v.string(),
        openSince: v.nullable(v.string()),
      }),
    ),
    doctor: v.array(v.looseObject({ name: v.string(), ok: v.boolean() })),
  }),
});
const DoctorSchema = v.object({
  checks: v.array(v.looseObject({ name: v.string(), ok: v.boolean(), detail: v.string() })),
});
const RatesSchema = v.object({
  data: v.object({
    since: v.nullable(v.string()),
    points: v.array(v.looseObject({ at: v.string(), accepted: v.number(), backlog: v.number() })),
  }),
});

/** More than the ten attempts that open a breaker. */
const FAILURES = 14;

async function operator() {
  return panel().useLink(await panel().stack.ask('panel', 'link', '--operator'));
}

describe('the operator’s screen', () => {
  test('shows processes, agendas, breakers and the doctor’s rows', async () => {
    const answer = await (await operator()).call('GET', '/panel/api/operation');
    const { processes, others, agendas, doctor } = parseAnswer(answer, OperationSchema).data;
    const held = processes.flatMap(({ partitions }) => partitions.channel ?? []);
    assert.equal(
      held.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      PARTITIONS,
    );
    assert.deepEqual(new Set(others.map(({ role }) => role)), new Set(['gateway', 'panel']));
    const names = agendas.map(({ agenda }) => agenda).toSorted();
    assert.deepEqual(names, ['deliveries', 'reminders', 'scheduled', 'sends', 'timers']);
    const { stdout } = await panel().stack.spawnRecado(['doctor', '--json']);
    const { checks } = v.parse(DoctorSchema, JSON.parse(stdout));
    assert.deepEqual(pluck(doctor, 'name'), pluck(checks, 'name'));
    for (const sure of ['settings', 'mongodb', 'secrets', 'address', 'partitions']) {
      assert.ok(doctor.find(({ name }) => name === sure)?.ok, sure);
    }
    const own = doctor.find(({ name }) => name === 'panel');
    const detail = [{ code: 'panelsAt', params: { count: 2, addresses: [panel().url] } }];
    assert.deepEqual([own?.ok, own?.detail], [true, detail]);
  });

  test('the doctor names a process of the panel that does not answer', async () => {
    const { stack } = panel();
    const [pid = 0] = stack.runFile().pids.panel ?? [];
    const row = async () => {
      const { stdout } = await stack.spawnRecado(['doctor', '--json']);
      return v.parse(DoctorSchema, JSON.parse(stdout)).checks.find(({ name }) => name === 'panel');
    };
    assert.deepEqual((await row())?.detail, `2 processes at ${panel().url}`);
    process.kill(pid, 'SIGSTOP');
    try {
      const stopped = await row();
      assert.equal(stopped?.ok, false);
      assert.match(stopped?.detail ?? '', new RegExp(`^process ${pid} of the panel: no answer`));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  test('shows an open breaker with its address and organization', async () => {
    const { stack, shop } = panel();
    await using subscriber = await startSubscriber();
    subscriber.answer('/down', () => 500);
    const ana = await panel().signedInAs('ana');
    const made = { url: `${subscriber.url}/down`, events: ['message.sent'] };
    assertStatus(await ana.call('POST', '/panel/api/subscriptions', { body: made }), 201);
    for (let sent = 0; sent < FAILURES; sent++) {
      const body = { channelId: shop.main, phone: freshPhone(), text: 'oi' };
      await stack.request('POST', '/api/v1/messages', { key: shop.key, body });
    }
    const browser = await operator();
    const open = await waitUntil('the open breaker', async () => {
      const { json } = await browser.call('GET', '/panel/api/operation');
      const { breakers } = v.parse(OperationSchema, json).data;
      return breakers.find(({ url }) => url === made.url) ?? null;
    });
    assert.match(String(open.openSince), /^\d{4}-/);
    assert.equal(open.organization.name, `Loja ${shop.ref}`);
    const path = `/panel/api/subscriptions/${open.subscriptionId}`;
    assertStatus(await ana.call('POST', path, { body: { enabled: false } }), 200);
  });

  test('is for nobody else', async () => {
    const ana = await panel().signedInAs('ana');
    for (const path of ['/panel/api/operation', '/panel/api/operation/rates']) {
      assert.equal((await ana.call('GET', path)).status, 403);
    }
  });

  test('has rates from its first call on', async () => {
    const browser = await operator();
    const read = async () => {
      const answer = await browser.call('GET', '/panel/api/operation/rates');
      const { since, points } = parseAnswer(answer, RatesSchema).data;
      return points.length > 0 ? { since, points } : null;
    };
    const { since, points } = await waitUntil('a first sample', read);
    assert.equal(since, points[0]?.at);
  });
});

describe('calls of the inbound webhook', () => {
  test('are shown to admins, newest first, with masked phones and their problems', async () => {
    const { stack, shop, other } = panel();
    const path = `/api/webhooks/channel/${shop.shop}`;
    const phone = freshPhone();
    const post = (key: string, body: object) => stack.request('POST', path, { key, body });
    assert.equal((await post(shop.shopKey, { phone, name: 'Lia' })).status, 201);
    assert.equal((await post(shop.shopKey, { phone: 'x', email: 'no' })).status, 422);
    assert.equal((await post(shop.mainKey, { phone })).status, 403);
    assert.equal((await post(other.key, { phone })).status, 404);
    const ana = await panel().signedInAs('ana');
    const list = `/panel/api/inbound-calls?channelId=${shop.shop}`;
    const CallsSchema = v.object({
      since: v.string(),
      data: v.array(
        v.looseObject({
          status: v.number(),
          phone: v.nullable(v.string()),
          issues: v.array(v.object({ path: v.string(), message: v.string() })),
        }),
      ),
    });
    const { data } = await waitUntil('the three calls', async () => {
      const calls = parseAnswer(await ana.call('GET', list), CallsSchema);
      return calls.data.length === 3 ? calls : null;
    });
    assert.deepEqual(
      data.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 403, 422],
    );
    const refused = data.find(({ status }) => status === 422);
    assert.deepEqual(refused?.issues.map(({ path }) => path).toSorted(), ['email', 'phone']);
    const accepted = data.find(({ status }) => status === 201);
    assert.equal(accepted?.phone, `•••• ${phone.slice(-4)}`);
    assert.ok(!JSON.stringify(data).includes(phone.replaceAll(/\D/g, '').slice(-8)));
    const eve = await panel().signedInAs('eve', other.ref);
    assert.equal((await eve.call('GET', list)).status, 404);
    const bia = await panel().signedInAs('bia');
    assert.equal((await bia.call('GET', list)).status, 403);
    assert.equal((await ana.call('GET', '/panel/api/inbound-calls')).status, 422);
  });

  test('of a channel without any are none', async () => {
    const { other } = panel();
    const eve = await panel().signedInAs('eve', other.ref);
    const path = `/panel/api/inbound-calls?channelId=${other.shop}`;
    assert.deepEqual(await rows(eve, path), []);
  });
});
