/**
 * D132: a call under an `Idempotency-Key` is committed and its answer is lost with its gateway.
 * After twenty other calls it is made again: it changes nothing and returns the present state.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crmFixtureOf, TEAM } from '../../../support/api/crm-fixture.ts';
import { type Answer, assertRefused, freshPhone } from '../../../support/api.ts';
import { named } from '../../../support/applied.ts';
import { useDatabase, useOrganizations, useStack } from '../../../support/stack-hooks.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const OTHERS = 20;
const ASLEEP = { ref: 'sono', name: 'Sono', enabled: false, steps: [{ id: 'fim', do: 'end' }] };

type Body = Readonly<Record<string, unknown>>;

const stack = useStack();
const { a } = useOrganizations(stack, () => {
  const url = 'http://127.0.0.1:9/none';
  const subscriptions = [{ ref: 'all', url, events: ['*', 'deal.reopened'] }];
  const more = { ...TEAM.more, flows: [ASLEEP] };
  return { a: { more, subscriptions } };
});
const crm = crmFixtureOf(stack, a);
const database = useDatabase(stack);

let keys = 0;

/** One call that is made again under its key. */
class KeyedCall {
  readonly #path: string;
  readonly #body: Body;
  readonly #key: string;
  readonly #headers = { 'idempotency-key': `kept-${++keys}` };

  constructor(path: string, body: Body, key = a.key) {
    this.#path = path;
    this.#body = body;
    this.#key = key;
  }

  async make(status = [200, 201]): Promise<Answer> {
    const call = { key: this.#key, body: this.#body, headers: this.#headers };
    const answer = await stack.request('POST', `/api/${this.#path}`, call);
    assert.ok(status.includes(answer.status), answer.text);
    return answer;
  }

  /** As when the gateway dies between the commit and its record of the answer. */
  async loseAnswer(): Promise<void> {
    await database.db
      .collection('idempotency')
      .updateMany({}, { $set: { answer: null, heldAt: 0 } });
  }
}

/** Twenty plain changes, and as the last of them the one that undoes the keyed call. */
async function others(change: (number: number) => Promise<unknown>): Promise<void> {
  for (let number = 1; number <= OTHERS; number++) await change(number);
}

/** How often subscribers are told, once every outbox has been published. */
async function events(event: string, about: string): Promise<number> {
  await waitUntil('every outbox is handed on', async () => {
    const left = ['deals', 'tasks', 'contacts'].map((name) =>
      database.db.collection(name).countDocuments({ pending: { $exists: true } }),
    );
    return (await Promise.all(left)).every((count) => count === 0);
  });
  const told = await database.db.collection('deliveries').find({ event }).toArray();
  return told.filter(({ body }) => String(body).includes(about)).length;
}

describe('a keyed call whose answer was lost, made again', () => {
  test('moves no deal a second time', async () => {
    const { stages } = await crm.pipeline();
    const [, second, third] = stages;
    const { id } = await crm.deal();
    const call = new KeyedCall(`v1/deals/${id}`, { stageId: second?.id });
    assert.match((await call.make()).text, new RegExp(String(second?.id)));
    await call.loseAnswer();
    await others((number) =>
      crm.changeDeal(id, number < OTHERS ? { valueCents: number } : { stageId: third?.id }),
    );
    const again = await call.make();
    assert.equal(again.headers.get('idempotent-replayed'), null, 'the answer was not kept');
    assert.match(again.text, new RegExp(String(third?.id)), 'it shows the deal as it is');
    const { data } = await crm.deals(`stageId=${third?.id}`);
    assert.deepEqual(
      data.map((deal) => deal.id),
      [id],
    );
    assert.equal(await events('deal.stage_changed', id), 2, 'one for each move');
    assert.equal((await call.make()).headers.get('idempotent-replayed'), 'true', 'now it is kept');
  });

  test('completes no task a second time', async () => {
    const { id } = await crm.task();
    const call = new KeyedCall(`v1/tasks/${id}`, { done: true });
    await call.make();
    await call.loseAnswer();
    await others((number) =>
      crm.changeTask(id, number < OTHERS ? { notes: `nota ${number}` } : { done: false }),
    );
    assert.match((await call.make()).text, /"done":false/);
    assert.equal(await events('task.completed', id), 1);
  });

  test('opts no contact out a second time, and is 201 again if it created it', async () => {
    const phone = freshPhone();
    const call = new KeyedCall('v1/contacts', { phone, name: 'Ana', optIn: false });
    assert.equal((await call.make()).status, 201);
    await call.loseAnswer();
    await others((number) =>
      crm.post(
        'contacts',
        number < OTHERS ? { phone, name: `Ana ${number}` } : { phone, optIn: true },
      ),
    );
    const again = await call.make();
    assert.equal(again.status, 201);
    assert.match(again.text, /"optIn":true/);
    const contact = await stack.contact(a.key, phone);
    assert.deepEqual([contact?.optIn, contact?.name], [true, `Ana ${OTHERS - 1}`]);
    assert.equal(await events('contact.opt_out', phone), 1);
  });

  test('saves no contact a second time, although its flow was refused', async () => {
    const phone = freshPhone();
    const flowId = named(a.applied.flows, ASLEEP.ref);
    const body = { phone, name: 'Ana', optIn: false, flowId };
    const call = new KeyedCall(`webhooks/channel/${a.main}`, body, a.mainKey);
    assertRefused(await call.make([409]), 409);
    await crm.post('contacts', { phone, name: 'Bia', optIn: true });
    assertRefused(await call.make([409]), 409);
    const contact = await stack.contact(a.key, phone);
    assert.deepEqual([contact?.optIn, contact?.name], [true, 'Bia']);
    assert.equal(await events('contact.opt_out', phone), 1);
  });

  test('sends no message a second time', async () => {
    const phone = freshPhone();
    const body = { channelId: a.main, phone };
    const call = new KeyedCall('v1/messages', { ...body, text: 'uma vez' });
    const first = await call.make();
    await call.loseAnswer();
    await others((number) => stack.send(a.key, { ...body, text: `outra ${number}` }));
    assert.equal((await call.make()).text, first.text);
    const { data } = Object(first.json);
    const history = await stack.history(a.key, data.conversationId);
    assert.equal(history.length, OTHERS + 1);
  });
});
