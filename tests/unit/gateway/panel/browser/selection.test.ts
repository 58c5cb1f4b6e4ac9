/** Many conversations at once: the calls that a page makes, whatever the server answers. */
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import {
  type Act,
  batch,
  dismiss,
  run,
} from '../../../../../gateway/panel/browser/conversations/selection/batch.ts';
import {
  keep,
  letGo,
  selection,
} from '../../../../../gateway/panel/browser/conversations/selection/selection.ts';

const ACT: Act = {
  doing: 'Resolvendo',
  done: String,
  pathOf: ({ id }) => `/conversations/${id}`,
  body: { status: 'resolved' },
  tell: () => undefined,
};

beforeEach(() => {
  letGo(() => true);
  dismiss();
});

/** As in a page whose act is on the contact. */
const TAG: Act = {
  ...ACT,
  pathOf: ({ contactId }) => `/contacts/${contactId}`,
  body: { tags: ['vip'] },
};

function selectSome(count: number): void {
  const ids = Array.from({ length: count }, (_, n) => `con_${n}`);
  keep(ids.map((id) => ({ id, contactId: `cnt_${id}`, name: id })));
}

interface Call {
  readonly path: string;
  readonly key: string;
}

/** Answers by the page's own calls, in their order; null: none comes. */
function answer(context: TestContext, statusOf: (call: Call, nth: number) => number | null) {
  const calls: Call[] = [];
  let open = 0;
  let most = 0;
  context.mock.method(globalThis, 'fetch', async (path: string, init: RequestInit) => {
    const call = { path, key: new Headers(init.headers).get('idempotency-key') ?? '' };
    calls.push(call);
    const status = statusOf(call, calls.length);
    open += 1;
    most = Math.max(most, open);
    await new Promise((resume) => setImmediate(resume));
    open -= 1;
    if (status === null) throw new TypeError('no answer');
    return new Response(JSON.stringify({ error: `Recusa ${status}` }), { status });
  });
  return { calls, most: () => most };
}

const failed = () => batch.value?.failures.map(({ selected: { id } }) => id);

test('a few calls run at a time, and each has a key of its own', async (context) => {
  const { calls, most } = answer(context, () => 200);
  selectSome(30);
  await run(ACT);
  assert.equal(calls.length, 30);
  assert.equal(new Set(calls.map(({ key }) => key)).size, 30);
  assert.ok(most() > 1 && most() <= 4, `${most()} at once`);
  assert.deepEqual([batch.value?.done, failed(), selection.value.size], [30, [], 0]);
});

test('what fails stays selected, and a repeat bears the key of an unknown outcome', async (context) => {
  const { calls } = answer(context, ({ path }, nth) => {
    if (nth > 4) return 200;
    return { '/conversations/con_1': 500, '/conversations/con_2': 404 }[path] ?? 200;
  });
  selectSome(4);
  await run(ACT);
  assert.deepEqual(failed()?.toSorted(), ['con_1', 'con_2']);
  assert.deepEqual([...selection.value.keys()].toSorted(), ['con_1', 'con_2']);
  await run(ACT);
  assert.deepEqual([failed(), selection.value.size], [[], 0]);
  const keysOf = (id: string) =>
    calls.filter(({ path }) => path.endsWith(id)).map(({ key }) => key);
  assert.equal(new Set(keysOf('con_1')).size, 1, 'the server may have done it');
  assert.equal(new Set(keysOf('con_2')).size, 2, 'a refusal is decided again');
  // It is done: the same change is a new one, and not a repeat.
  selectSome(2);
  await run(ACT);
  assert.equal(new Set(keysOf('con_1')).size, 2);
});

test('a key is for the repeat of what has failed: of nothing that was let go of, or done otherwise', async (context) => {
  const keys: string[] = [];
  const { calls } = answer(context, () => 500);
  const attempt = async (act: Act) => {
    await run(act);
    keys.push(calls.at(-1)?.key ?? '');
  };
  selectSome(1);
  await attempt(ACT);
  await attempt(ACT);
  assert.equal(keys[0], keys[1]);
  letGo(() => true);
  selectSome(1);
  assert.deepEqual([batch.value, keys.length], [null, 2], 'nothing of it is told any more');
  await attempt(ACT);
  dismiss();
  await attempt(ACT);
  await attempt({ ...ACT, body: { status: 'open' } });
  await attempt(ACT);
  assert.equal(new Set(keys).size, 5);
});

test('a key stays where its repeat was not tried', async (context) => {
  const COUNT = 10;
  const { calls } = answer(context, (_, nth) => (nth <= COUNT ? 500 : 401));
  selectSome(COUNT);
  await run(ACT);
  await run(ACT);
  context.mock.restoreAll();
  const { calls: repeats } = answer(context, () => 200);
  await run(ACT);
  const keyOf = (path: string) => calls.find((each) => each.path === path)?.key;
  assert.ok(calls.length < 2 * COUNT, 'without a session the rest is not tried');
  assert.deepEqual(
    repeats.map(({ path, key }) => key === keyOf(path)),
    Array(COUNT).fill(true),
  );
});

test('a call that came after too many others waits, and is made again', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { calls } = answer(context, (_, nth) => (nth === 1 ? 429 : 200));
  selectSome(1);
  const running = run(ACT);
  while (calls.length < 2) {
    await new Promise((resume) => setImmediate(resume));
    context.mock.timers.tick(1_000);
  }
  await running;
  assert.deepEqual([batch.value?.done, failed()], [1, []]);
  assert.equal(calls[0]?.key, calls[1]?.key);
});

test('without an answer, or a session, the rest is not tried and stays selected', async (context) => {
  for (const status of [null, 401, 412]) {
    const { calls } = answer(context, () => status);
    selectSome(50);
    await run(ACT);
    assert.ok(calls.length <= 8, `${calls.length} calls`);
    assert.deepEqual([batch.value?.done, failed()?.length, selection.value.size], [0, 50, 50]);
    context.mock.restoreAll();
  }
});

test('two conversations of one contact are one call, which settles both', async (context) => {
  const { calls } = answer(context, (_, nth) => (nth === 1 ? 500 : 200));
  const of = (id: string) => ({ id, contactId: 'cnt_both', name: 'Ana' });
  keep([of('con_1'), of('con_2')]);
  await run(TAG);
  assert.deepEqual(failed(), ['con_1', 'con_2']);
  // One of them is enough for the repeat.
  letGo((id) => id === 'con_1');
  await run(TAG);
  assert.deepEqual([batch.value?.done, failed(), calls.length], [1, [], 2]);
  assert.equal(calls[0]?.key, calls[1]?.key);
  keep([of('con_1'), of('con_2')]);
  await run(TAG);
  assert.deepEqual([batch.value?.done, batch.value?.total, calls.length], [2, 2, 3]);
  assert.equal(selection.value.size, 0);
});

test('a second change does not begin while one runs', async (context) => {
  const { calls } = answer(context, () => 200);
  selectSome(8);
  await Promise.all([run(ACT), run(ACT)]);
  assert.equal(calls.length, 8);
});
