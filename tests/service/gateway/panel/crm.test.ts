/** Rows that the screens of contacts, deals and tasks add: order, sums, history of opt-in. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { freshPhone } from '../../../support/api.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { pluckRows } from '../../../support/pluck.ts';

before(startPanel);

const IdSchema = v.object({ data: v.looseObject({ id: v.string() }) });

async function created(browser: Browser, path: string, body: object): Promise<string> {
  const answer = await browser.call('POST', path, { body });
  assert.ok([200, 201].includes(answer.status), answer.text);
  return v.parse(IdSchema, answer.json).data.id;
}

function dayFromNow(days: number): string {
  const at = Date.now() + days * 24 * 60 * 60 * 1000;
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' }).format(at);
}

describe('the rows of contacts, deals and tasks', () => {
  test('the team is its members by name, without e-mail, for every role', async () => {
    const team = await rows(await panel().signedInAs('caio'), '/api/v1/members');
    assert.ok(team.some(({ name }) => name === 'Ana'));
    assert.deepEqual(Object.keys(team[0] ?? {}), ['id', 'name', 'role', 'enabled']);
  });

  test('quick replies are kept by title, and are the organization’s alone', async () => {
    const bia = await panel().signedInAs('bia');
    const path = '/panel/api/quick-replies';
    const text = 'Olá! 👋\nComo posso ajudar?';
    const last = await created(bia, path, { title: 'Zelo', text: 'Estamos à disposição.' });
    const first = await created(bia, path, { title: 'Árvore', text });
    const listed = await rows(await panel().signedInAs('caio'), path);
    assert.deepEqual(listed.find(({ id }) => id === first)?.text, text);
    const order = listed.map(({ id }) => id);
    assert.ok(order.indexOf(first) < order.indexOf(last));
    const eve = await panel().signedInAs('eve', panel().other.ref);
    assert.deepEqual(await rows(eve, path), []);
    assert.equal((await eve.call('POST', `${path}/${first}/remove`)).status, 404);
    assert.equal((await bia.call('POST', `${path}/${first}/remove`)).status, 200);
    assert.equal((await bia.call('POST', `${path}/${first}/remove`)).status, 404);
    assert.equal((await bia.call('POST', path, { body: { title: '', text } })).status, 422);
    const audit = await rows(await panel().signedInAs('ana'), '/panel/api/audit?limit=200');
    const ours = audit.filter(({ subject }) => JSON.stringify(subject).includes(first));
    assert.deepEqual(pluckRows(ours, 'operation', 'name'), [
      ['removeQuickReply', 'Bia'],
      ['createQuickReply', 'Bia'],
    ]);
    assert.ok(!JSON.stringify(ours).includes('Como posso'));
  });

  test('a board’s sums are of its open deals, by stage', async () => {
    const bia = await panel().signedInAs('bia');
    const [pipeline] = await rows(bia, '/api/v1/pipelines');
    const path = `/panel/api/deals/sums?pipelineId=${pipeline?.id}`;
    const phone = freshPhone();
    assert.equal((await bia.call('POST', '/api/v1/contacts', { body: { phone } })).status, 201);
    const sums = async () => {
      const { json } = await bia.call('GET', path);
      const [first] = v.parse(v.object({ data: v.array(v.looseObject({})) }), json).data;
      return [Number(first?.count ?? 0), Number(first?.sumCents ?? 0)] as const;
    };
    const [count, cents] = await sums();
    const deal = { phone, title: 'Venda' };
    await created(bia, '/api/v1/deals', { ...deal, valueCents: 1_050 });
    const won = await created(bia, '/api/v1/deals', { ...deal, valueCents: 200 });
    assert.deepEqual(await sums(), [count + 2, cents + 1_250]);
    await bia.call('POST', `/api/v1/deals/${won}`, { body: { status: 'won' } });
    assert.deepEqual(await sums(), [count + 1, cents + 1_050]);
    const none = await bia.call('GET', '/panel/api/deals/sums?pipelineId=none');
    assert.deepEqual(none.json, { data: [], complete: true });
    assert.equal((await bia.call('GET', '/panel/api/deals/sums')).status, 422);
  });

  test('a contact shows each change of its opt-in, newest first, and no repeat', async () => {
    const bia = await panel().signedInAs('bia');
    const phone = freshPhone();
    const save = (optIn: boolean) => created(bia, '/api/v1/contacts', { phone, optIn });
    const id = await save(true);
    await save(true);
    await save(false);
    const path = `/panel/api/contacts/${id}`;
    const HistorySchema = v.object({
      data: v.looseObject({
        phone: v.string(),
        optInHistory: v.array(v.object({ at: v.string(), optIn: v.boolean(), source: v.string() })),
      }),
    });
    const { optInHistory } = v.parse(HistorySchema, (await bia.call('GET', path)).json).data;
    assert.deepEqual(pluckRows(optInHistory, 'optIn', 'source'), [
      [false, 'panel'],
      [true, 'panel'],
    ]);
    const eve = await panel().signedInAs('eve', panel().other.ref);
    assert.equal((await eve.call('GET', path)).status, 404);
    assert.equal((await bia.call('GET', '/panel/api/contacts/none_1234')).status, 404);
  });

  test('tasks come by their due time, those without one last, in pages', async () => {
    const bia = await panel().signedInAs('bia');
    const team = await rows(bia, '/api/v1/members');
    const assigneeId = team.find(({ name }) => name === 'Duda')?.id;
    const task = (title: string, dueOn?: string) =>
      created(bia, '/api/v1/tasks', { title, assigneeId, ...(dueOn ? { dueOn } : {}) });
    const [later, none, today, late] = [
      await task('depois', dayFromNow(3)),
      await task('sem prazo'),
      await task('hoje', dayFromNow(0)),
      await task('atrasada', dayFromNow(-2)),
    ];
    const list = async (query: string) =>
      (await rows(bia, `/panel/api/tasks?assigneeId=${assigneeId}${query}`)).map(({ id }) => id);
    assert.deepEqual(await list(''), [late, today, later, none]);
    assert.deepEqual(await list('&limit=3&page=2'), [none]);
    assert.deepEqual(await list('&limit=2&page=2'), [later, none]);
    assert.deepEqual(await list('&due=late'), [late]);
    assert.deepEqual(await list('&due=today'), [today]);
    assert.deepEqual(await list('&due=later'), [later]);
    assert.deepEqual(await list('&due=none'), [none]);
    await bia.call('POST', `/api/v1/tasks/${late}`, { body: { done: true } });
    await bia.call('POST', `/api/v1/tasks/${later}`, { body: { done: true } });
    assert.deepEqual(await list(''), [today, none]);
    assert.deepEqual(await list('&status=done'), [later, late]);
    const { json } = await bia.call('GET', `/panel/api/tasks?assigneeId=${assigneeId}&limit=1`);
    assert.equal(v.parse(v.looseObject({ total: v.number() }), json).total, 2);
    assert.equal((await bia.call('GET', '/panel/api/tasks?due=soon')).status, 422);
  });
});
