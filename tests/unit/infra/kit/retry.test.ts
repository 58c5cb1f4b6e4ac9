/** Calls are repeated as C7.9 and C7.10 let them, and lists are read to their end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NoAnswer, RecadoError } from '../../../../infra/kit/client/errors.ts';
import { everyItem } from '../../../../infra/kit/client/pages.ts';
import {
  EventParser,
  type ServerSentEvent,
} from '../../../../infra/kit/client/server-sent-events.ts';
import { Transport } from '../../../../infra/kit/client/transport.ts';

/** A scripted service: each call gets the next answer, and time passes only while it is waited. */
type Scripted = number | 'lost' | { readonly status: 429 | 409 | 503; readonly retryAfter: number };

const RETRY_FOR_MS = 60_000;

interface Seen {
  readonly at: number;
  readonly key: string | null;
  readonly body: unknown;
}

function scripted(script: readonly Scripted[], unit: number) {
  let now = 0;
  const seen: Seen[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const headers = new Headers(init?.headers);
    seen.push({ at: now, key: headers.get('idempotency-key'), body: init?.body });
    const next = script[seen.length - 1] ?? 201;
    if (next === 'lost') throw new TypeError('fetch failed');
    if (typeof next === 'number') return answer(next, {});
    return answer(next.status, { 'retry-after': String(next.retryAfter) });
  };
  const sleep = async (ms: number) => {
    now += ms;
  };
  const platform = { fetch, now: () => now, random: () => unit, sleep };
  const options = { baseUrl: 'http://service.test/', key: 'k', retryForMs: RETRY_FOR_MS };
  return { seen, transport: new Transport(options, platform) };
}

function answer(status: number, headers: Readonly<Record<string, string>>): Response {
  return Response.json(status < 300 ? { data: 1 } : { error: `${status}.` }, { status, headers });
}

function isRepeated(each: Scripted): boolean {
  return each === 'lost' || typeof each === 'object' || each >= 500 || each === 429;
}

const outcome: fc.Arbitrary<Scripted> = fc.oneof(
  fc.constantFrom<Scripted[]>('lost', 500, 502, 503, 429, 201, 200, 400, 401, 403, 404, 409, 422),
  fc.record({
    status: fc.constantFrom<(429 | 409 | 503)[]>(429, 409, 503),
    retryAfter: fc.integer({ min: 1, max: 90 }),
  }),
);

test('C7.9, C7.10: repeats have one key and the same bytes, and come when they may', async () => {
  const script = fc.array(outcome, { maxLength: 12 });
  const unit = fc.double({ min: 0, max: 0.999, noNaN: true });
  const body = { text: 'Oi' };
  await fc.assert(
    fc.asyncProperty(script, unit, async (answers, chance) => {
      const { seen, transport } = scripted(answers, chance);
      const call = transport.call({ method: 'POST', path: '/x', body, isKeyed: true });
      const ended = await call.then(({ response }) => response.status, String);
      const given = seen.map((_, index) => answers[index] ?? 201);
      assert.ok(given.slice(0, -1).every(isRepeated), 'only what may be repeated is');
      assert.equal(new Set(seen.map(({ key }) => key)).size, 1);
      assert.equal(new Set(seen.map((each) => each.body)).size, 1);
      for (const [index, { at }] of seen.entries()) {
        const before = given[index - 1];
        const since = at - (seen[index - 1]?.at ?? 0);
        if (typeof before === 'object') assert.ok(since >= before.retryAfter * 1000);
        else if (index > 0) assert.ok(since >= 250);
        assert.ok(at <= RETRY_FOR_MS);
      }
      const last = given.at(-1);
      if (typeof last === 'number' && last < 300) assert.equal(ended, last);
      else assert.match(String(ended), last === 'lost' ? /^NoAnswer/ : /^RecadoError/);
    }),
    { numRuns: 300 },
  );
});

test('what ends a call is told: the refusal with its fields, or that nothing answered', async () => {
  const issues = [{ path: 'phone', message: 'Telefone inválido.' }];
  const refusal = { error: 'Dados inválidos.', issues };
  const headers = { 'x-request-id': 'req-1' };
  const refusing = scripted([], 0).transport.platform;
  const fetch = async () => Response.json(refusal, { status: 422, headers });
  const options = { baseUrl: 'http://service.test', key: 'k' };
  const transport = new Transport(options, { ...refusing, fetch });
  await assert.rejects(transport.call({ method: 'GET', path: '/x' }), (error) => {
    assert.ok(error instanceof RecadoError);
    const { status, sentence, requestId } = error;
    assert.deepEqual([status, sentence, requestId], [422, refusal.error, 'req-1']);
    assert.deepEqual(error.issues, issues);
    return true;
  });
  const { transport: silent } = scripted(new Array(50).fill('lost'), 0.5);
  await assert.rejects(silent.call({ method: 'GET', path: '/x' }), NoAnswer);
});

test('a list is read to its end, each item once, while others come and move before it', async () => {
  const size = fc.integer({ min: 0, max: 60 });
  const limit = fc.integer({ min: 1, max: 20 });
  /** Of each read of the first pass: the item that moves to the front, or a new one. */
  const changes = fc.array(fc.array(fc.nat(70), { maxLength: 4 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(size, limit, changes, async (count, perPage, moves) => {
      const list = Array.from({ length: count }, (_, index) => ({ id: `old-${index}` }));
      const wanted = list.map(({ id }) => id);
      const reading = Math.ceil(count / perPage);
      let reads = 0;
      const read = async ({ page, limit: asked }: { page: number; limit: number }) => {
        assert.equal(asked, perPage);
        const data = list.slice((page - 1) * asked, page * asked);
        const answered = { data, page, limit: asked, total: list.length };
        for (const [n, at] of (reads < reading ? (moves[reads] ?? []) : []).entries()) {
          const [moved = { id: `new-${reads}-${n}` }] = list.splice(at, 1);
          list.unshift(moved);
        }
        reads += 1;
        return answered;
      };
      const got: string[] = [];
      for await (const { id } of everyItem(read, perPage)) got.push(id);
      assert.deepEqual(new Set(got.filter((id) => id.startsWith('old-'))), new Set(wanted));
      assert.equal(new Set(got).size, got.length);
    }),
    { numRuns: 500 },
  );
});

test('Server-Sent Events are the same however their bytes are cut', () => {
  const fields = ['id: dlv_1', 'event: deal.won', 'data: {"a":"é"}', 'data:', ':', 'retry: 1500'];
  const line = fc.constantFrom(...fields, 'id', '', '');
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const cuts = fc.array(fc.nat(400), { maxLength: 8 });
  const lines = fc.array(fc.tuple(line, end), { maxLength: 40 });
  fc.assert(
    fc.property(lines, cuts, (pairs, at) => {
      const text = `${pairs.flat().join('')}\n`;
      const whole = new EventParser();
      const wanted = [...whole.read(text)];
      const pieces = new EventParser();
      const got: ServerSentEvent[] = [];
      let from = 0;
      for (const to of [...at.sort((a, b) => a - b), text.length]) {
        got.push(...pieces.read(text.slice(from, Math.max(from, to))));
        from = Math.max(from, to);
      }
      assert.deepEqual(got, wanted);
      assert.equal(pieces.retryMs, whole.retryMs);
    }),
  );
});
