/** Flows in the panel: what runs, one flow's text, its change, and the trace of a run. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { isProblem } from '../../../../infra/programs/cli/service/problem-sentences.ts';
import type { Problem } from '../../../../shared/problems/provisioning.ts';
import { assertStatus, parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { pluck } from '../../../support/pluck.ts';
import { waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

const FLOW = {
  ref: 'plans',
  name: 'Planos',
  enabled: true,
  channel: 'main',
  steps: [
    { id: 'ask', do: 'send', text: 'Qual plano?', next: 'hear' },
    { id: 'hear', do: 'wait', timeout: '1h', saveAs: 'plan', next: 'pick', onTimeout: 'bye' },
    {
      id: 'pick',
      do: 'choose',
      cases: [
        { when: { answer: 'plan', in: ['ouro', 'o de ouro'] }, next: 'gold' },
        { when: { answer: 'plan', in: ['prata'] }, next: 'bye' },
      ],
      else: 'bye',
    },
    { id: 'gold', do: 'send', text: 'Ouro!', next: 'bye' },
    { id: 'bye', do: 'end' },
  ],
};

/** Step, text and chosen branches of each entry of a run. */
const TRACE = [
  [null, null, []],
  ['ask', 'Qual plano?', ['next']],
  ['hear', 'o de ouro', ['next']],
  ['pick', null, ['cases.0']],
  ['gold', 'Ouro!', ['next']],
  ['bye', null, []],
];

const TextSchema = v.object({ data: v.looseObject({ yaml: v.string(), name: v.string() }) });
const ProblemsSchema = v.object({
  problems: v.array(
    v.object({
      path: v.string(),
      problem: v.custom<Problem>(isProblem),
      line: v.nullable(v.number()),
    }),
  ),
});
const RunSchema = v.object({
  data: v.object({
    flowName: v.string(),
    running: v.boolean(),
    reason: v.nullable(v.string()),
    endedAt: v.nullable(v.string()),
    waiting: v.nullable(v.object({ step: v.string(), phase: v.string(), dueAt: v.string() })),
    entries: v.array(
      v.looseObject({
        entryId: v.string(),
        step: v.nullable(v.string()),
        said: v.nullable(v.looseObject({ direction: v.string(), text: v.string() })),
        chosen: v.array(v.string()),
      }),
    ),
  }),
});

describe('flows in the panel', () => {
  let id = '';

  before(async () => {
    const { stack, shop } = panel();
    const { orgs } = await stack.apply({ orgs: [{ ref: shop.ref, flows: [FLOW] }] });
    id = orgs[shop.ref]?.flows.plans ?? '';
  });

  async function textOf(): Promise<string> {
    const browser = await panel().signedInAs('ana');
    const { json, text } = await browser.call('GET', `/panel/api/flows/${id}`);
    assert.ok(json !== null, text);
    return v.parse(TextSchema, json).data.yaml;
  }

  async function publish(yaml: string, as?: Browser) {
    const browser = as ?? (await panel().signedInAs('ana'));
    return browser.call('POST', `/panel/api/flows/${id}/publish`, { body: { yaml } });
  }

  async function stored() {
    const browser = await panel().signedInAs('caio');
    const flow = (await rows(browser, '/panel/api/flows')).find((each) => each.id === id);
    assert.ok(flow);
    return flow;
  }

  async function start(phone: string, flowId = id): Promise<string> {
    const { stack, shop } = panel();
    const body = { phone, channelId: shop.main };
    const { json } = await stack.call('POST', `/api/v1/flows/${flowId}/start`, {
      key: shop.key,
      body,
    });
    return v.parse(v.object({ data: v.object({ conversationId: v.string() }) }), json).data
      .conversationId;
  }

  async function traceOf(conversationId: string) {
    const browser = await panel().signedInAs('caio');
    const answer = await browser.call('GET', `/panel/api/conversations/${conversationId}/run`);
    return parseAnswer(answer, RunSchema).data;
  }

  test('a run is counted where it waits, and its trace is the log’s', async () => {
    const { stack, shop } = panel();
    const phone = freshPhone();
    const conversationId = await start(phone);
    const isThere = async () => Reflect.get(Object((await stored()).waiting), 'hear') === 1;
    await waitUntil('a conversation that waits', async () => (await isThere()) || null);
    const running = await traceOf(conversationId);
    assert.deepEqual([running.running, running.waiting?.step], [true, 'hear']);
    await stack.network.inbound({ channelId: shop.main, from: phone, text: 'o de ouro' });
    const ended = await waitUntil('the end of the run', async () => {
      const run = await traceOf(conversationId);
      return run.running ? null : run;
    });
    assert.deepEqual(
      ended.entries.map(({ step, said, chosen }) => [step, said?.text ?? null, chosen]),
      TRACE,
    );
    await assertListed(conversationId);
    const history = await stack.history(shop.key, conversationId);
    const spoken = new Set(history.map((message) => message.id));
    for (const { entryId, said } of ended.entries) assert.equal(spoken.has(entryId), said !== null);
    assert.equal((await stored()).running, 0);
    const eve = await panel().signedInAs('eve', panel().other.ref);
    assertStatus(await eve.call('GET', `/panel/api/conversations/${conversationId}/run`), 404);
  });

  const RunsSchema = v.array(
    v.looseObject({
      conversationId: v.string(),
      contact: v.looseObject({ phone: v.string() }),
      state: v.string(),
      reason: v.nullable(v.string()),
      endedSeq: v.nullable(v.number()),
    }),
  );

  async function runsOf(conversationId: string, flowId = id) {
    const path = `/panel/api/flows/${flowId}/runs`;
    const listed = await rows(await panel().signedInAs('caio'), path);
    const all = v.parse(RunsSchema, listed);
    return all.filter((each) => each.conversationId === conversationId);
  }

  /** The ended run is in the list of its flow, beside its conversation, and leads to its trace. */
  async function assertListed(conversationId: string): Promise<void> {
    const [run] = await runsOf(conversationId);
    assert.equal(run?.state, 'finished');
    const caio = await panel().signedInAs('caio');
    const path = `/panel/api/conversations/${conversationId}`;
    const LastSchema = v.object({
      data: v.object({ lastRun: v.looseObject({ flowId: v.string(), endedSeq: v.number() }) }),
    });
    const { lastRun } = v.parse(LastSchema, (await caio.call('GET', path)).json).data;
    assert.deepEqual([lastRun.flowId, lastRun.endedSeq], [id, run.endedSeq]);
    await start(run.contact.phone);
    const again = await runsOf(conversationId);
    assert.deepEqual(pluck(again, 'state'), ['running', 'finished']);
    const ended = await caio.call('GET', `${path}/run?endedSeq=${run.endedSeq}`);
    const trace = v.parse(RunSchema, ended.json).data;
    assert.deepEqual(
      trace.entries.map(({ step, said, chosen }) => [step, said?.text ?? null, chosen]),
      TRACE,
    );
    const bia = await panel().signedInAs('bia');
    const resolved = { body: { status: 'resolved' } };
    assertStatus(await bia.call('POST', `/api/v1/conversations/${conversationId}`, resolved), 200);
    assert.equal((await runsOf(conversationId))[0]?.state, 'stopped');
    const eve = await panel().signedInAs('eve', panel().other.ref);
    assert.equal((await eve.call('GET', `/panel/api/flows/${id}/runs`)).status, 404);
  }

  test('a run beyond its budget ends with that reason, in the list and in the trace', async () => {
    const { stack, shop } = panel();
    const loop = '{% for i in (1..500000) %}{% endfor %}';
    const steps = [{ id: 'one', do: 'set', fields: { a: loop }, next: null }];
    const flow = { ref: 'heavy', name: 'Pesado', steps };
    const { orgs } = await stack.apply({ orgs: [{ ref: shop.ref, flows: [flow] }] });
    const flowId = orgs[shop.ref]?.flows.heavy ?? '';
    const conversationId = await start(freshPhone(), flowId);
    const [listed] = await waitUntil('the end of the run', async () => {
      const runs = await runsOf(conversationId, flowId);
      return runs.every(({ state }) => state === 'stopped') ? runs : null;
    });
    assert.equal(listed?.reason, 'over_budget');
    assert.equal((await traceOf(conversationId)).reason, 'over_budget');
  });

  test('the operator stops a run once, under a reason and in the audit log', async () => {
    const { stack } = panel();
    const conversationId = await start(freshPhone());
    const stop = async () => Object(await stack.ask('runs', 'stop', conversationId));
    assert.deepEqual(pluck([await stop(), await stop()], 'changed'), [true, false]);
    assert.equal((await runsOf(conversationId))[0]?.state, 'stopped');
    assert.equal((await traceOf(conversationId)).reason, 'operator');
    const ana = await panel().signedInAs('ana');
    const audit = (await rows(ana, '/panel/api/audit?limit=200')).filter(
      ({ operation }) => operation === 'stopRun',
    );
    assert.deepEqual(pluck(audit, 'subject'), [{ kind: 'conversation', id: conversationId }]);
    const unknown = await stack.recado(['runs', 'stop', 'cnv_none']);
    assert.match(unknown.stderr, /there is no conversation "cnv_none"/);
  });

  test('a flow is disabled and enabled by an admin, who stands in the audit log', async () => {
    const ana = await panel().signedInAs('ana');
    for (const enabled of [false, true]) {
      assertStatus(await ana.call('POST', `/panel/api/flows/${id}`, { body: { enabled } }), 200);
      assert.equal((await stored()).enabled, enabled);
    }
    const entries = await rows(ana, '/panel/api/audit?limit=200');
    const entry = entries.find(({ operation }) => operation === 'enableFlow');
    assert.deepEqual([entry?.name, entry?.subject], ['Ana', { kind: 'flow', id }]);
    const answer = await ana.call('POST', '/panel/api/flows/flw_none', { body: { enabled: true } });
    assertStatus(answer, 404);
  });

  test('headers of an HTTP call are only in the text, which a viewer does not get', async () => {
    const headers = { authorization: 'Bearer segredo-da-loja' };
    const call = { id: 'call', do: 'http', method: 'GET', url: 'https://example.com/', headers };
    const steps = [
      { ...call, next: 'bye', onError: 'bye' },
      { id: 'bye', do: 'end' },
    ];
    const { shop, stack } = panel();
    const flow = { ref: 'calls', name: 'Chamada', enabled: false, steps };
    const { orgs } = await stack.apply({ orgs: [{ ref: shop.ref, flows: [flow] }] });
    const path = `/panel/api/flows/${orgs[shop.ref]?.flows.calls ?? ''}`;
    const [ana, caio] = [await panel().signedInAs('ana'), await panel().signedInAs('caio')];
    assert.match((await ana.call('GET', path)).text, /segredo-da-loja/);
    assert.equal((await caio.call('GET', path)).status, 403);
    const listed = await caio.call('GET', '/panel/api/flows');
    assert.match(listed.text, /authorization/);
    assert.doesNotMatch(listed.text, /segredo/);
  });

  test('the text of a flow, published as it is, changes nothing', async () => {
    const yaml = await textOf();
    assertStatus(await publish(yaml), 200);
    assert.equal(await textOf(), yaml);
    const exported = await panel().stack.recado(['export', '--org', panel().shop.ref]);
    for (const line of yaml.trim().split('\n')) assert.ok(exported.stdout.includes(line), line);
  });

  test('a published change is what a next run takes', async () => {
    const yaml = (await textOf()).replace('Qual plano?', 'Qual plano prefere?');
    assertStatus(await publish(yaml), 200);
    assert.match(JSON.stringify((await stored()).steps), /Qual plano prefere\?/);
  });

  test('a text that began from an older one is refused, and the newer one stays', async () => {
    const ana = await panel().signedInAs('ana');
    const { json } = await ana.call('GET', `/panel/api/flows/${id}`);
    const { yaml, version } = v.parse(TextSchema, json).data;
    const path = `/panel/api/flows/${id}/publish`;
    const newer = yaml.replace('name: Planos', 'name: Planos novos');
    const first = await ana.call('POST', path, { body: { yaml: newer, version } });
    assert.equal(first.status, 200, first.text);
    const second = await ana.call('POST', path, { body: { yaml, version } });
    assert.equal(second.status, 409, second.text);
    assert.match(second.text, /mudou enquanto você editava/);
    assert.equal(await textOf(), newer);
    const back = { yaml, version: v.parse(TextSchema, first.json).data.version };
    assert.equal((await ana.call('POST', path, { body: back })).status, 200);
  });

  test('problems name their path and line, and nothing is stored', async () => {
    const yaml = await textOf();
    const ana = await panel().signedInAs('ana');
    const earlier = await panel().store.read();
    const line = yaml.split('\n').findIndex((text) => text.includes('next: hear')) + 1;
    const first = yaml.split('\n').indexOf('steps:') + 2;
    const headers = '{ Host: inside }';
    const call = `  - { id: call, do: http, url: "https://x.example", headers: ${headers}, next: ask }`;
    const wrong: readonly (readonly [string, string, number | null])[] = [
      [yaml.replace('steps:', `steps:\n${call}`), 'steps.0.headers.Host', first],
      [yaml.replace('next: hear', 'next: heer'), 'steps.0.next', line],
      [yaml.replace('name: Planos', 'nome: Planos'), 'nome', 2],
      [yaml.replace('ref: plans', 'ref: other'), 'ref', 1],
      [`${yaml}remove: true\n`, 'remove', yaml.split('\n').length],
      ['steps: [', '', 1],
      [`a: &a x\nb: [${Array(10_000).fill('*a').join(',')}]\n`, '', 2],
      ['x'.repeat(65_537), '', null],
    ];
    for (const [text, path, expected] of wrong) {
      const answer = await publish(text, ana);
      assert.equal(answer.status, 422, answer.text);
      const { problems } = v.parse(ProblemsSchema, answer.json);
      const found = problems.find((issue) => issue.path === path);
      assert.equal(found?.line, expected, `${path}: ${answer.text}`);
    }
    assert.equal(await panel().store.read(), earlier, 'no byte has changed');
  });
});
