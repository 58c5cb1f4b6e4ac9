/** Lists in parts against a list in one piece, and the bounds of what travels (D124). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Environment } from '../../../../../actors/environment.ts';
import {
  answerPage,
  type Listing,
  ROWS,
  restOf,
} from '../../../../../actors/queries/lists/parts.ts';
import { listDeliveries } from '../../../../../actors/queries/operator-lists.ts';
import {
  type ForegroundActivity,
  OrganizationScheduler,
} from '../../../../../actors/runtime/organization-scheduler.ts';
import { ENVELOPE_MAX_CHARS, inEnvelopes } from '../../../../../infra/adapters/nats/envelope.ts';
import { LIST_PART_BYTES } from '../../../../../shared/limits.ts';
import type { Answer } from '../../../../../shared/ports/bus.ts';
import type { SizedDocument } from '../../../../../shared/ports/sized-document.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Document, Filter, FindOptions, Store } from '../../../../support/plain-store.ts';
import { pluck } from '../../../../support/pluck.ts';
import { forAll } from '../../../../support/property.ts';

interface Text extends Document {
  readonly text: string;
}

const TEXTS: Listing<typeof QUERY, Text> = {
  rest: 'messages-rest',
  // Of no collection of the service.
  read: ({ find }: Pick<Store, 'find'>, ids) => find<Text>('texts', ids, { project: { text: 1 } }),
  show: async (_environment, _query, documents) =>
    documents.map(({ _id, text }) => ({ id: _id, text })),
};
const QUERY = { orgId: 'org_1', page: 1, limit: 100 };
const ALONE: Pick<ForegroundActivity, 'isContended'> = { isContended: () => false };

function turnsOf(atOnce: number, clock = new ManualClock(), foregroundActivity = ALONE) {
  const caps = { perOrganization: atOnce, perProcess: atOnce };
  return new OrganizationScheduler(caps, { clock, foregroundActivity });
}

/** A record that notes how much each read has brought. */
class PartsFixture {
  readonly database = new Database();
  readonly readBytes: number[] = [];
  readonly turns = turnsOf(1);

  get environment(): Environment {
    const find = async (collection: string, filter: Filter, options: FindOptions) => {
      const found = this.database.find(collection, filter, options);
      this.readBytes.push(Buffer.byteLength(JSON.stringify(found)));
      return found;
    };
    return { store: { find } } as unknown as Environment;
  }

  insert(lengths: readonly number[]): void {
    lengths.forEach((length, n) => {
      const document = { _id: `t${String(n).padStart(4, '0')}`, text: 'x'.repeat(length) };
      this.database.apply({ insert: 'texts', document });
    });
  }

  /** Every part of a page, in order; `between` happens after each. */
  async parts(between: () => void = () => undefined): Promise<readonly string[]> {
    const { environment, turns } = this;
    const options = { ...ROWS, sort: { _id: 1 } } as const;
    const rows = this.database.find<SizedDocument<Text>>('texts', {}, options);
    const listed = { query: QUERY, rows, total: rows.length, before: { of: 'x' } };
    let answer: Answer = await answerPage({ environment, scheduler: turns }, TEXTS, listed);
    const bodies = [answer.body];
    while (answer.rest) {
      assert.equal(answer.rest.resource, TEXTS.rest);
      between();
      const payload = JSON.parse(JSON.stringify(answer.rest.payload));
      answer = await restOf(turns, TEXTS)(environment, payload);
      bodies.push(answer.body);
    }
    return bodies;
  }
}

const lengths = fc.array(
  fc.oneof(fc.integer({ max: 9_000, min: 0 }), fc.constantFrom(100_000, 300_000)),
  { maxLength: 60 },
);

describe('a list in parts', () => {
  test('is the list in one piece, and no part is larger than its bound', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, async (all) => {
        const fixture = new PartsFixture();
        fixture.insert(all);
        const parts = await fixture.parts();
        const data = fixture.database.all('texts').map(({ _id, text }) => ({ id: _id, text }));
        const listed = { of: 'x', data, page: 1, limit: 100, total: all.length };
        assert.equal(parts.join(''), JSON.stringify(listed));
        const largest = Math.max(LIST_PART_BYTES, ...all) + 100;
        for (const each of [...parts.map((body) => body.length), ...fixture.readBytes]) {
          assert.ok(each <= largest, `${each} characters`);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('stays a list when documents go away between two parts', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, fc.array(fc.nat(60), { maxLength: 60 }), async (all, gone) => {
        const fixture = new PartsFixture();
        fixture.insert(all);
        const parts = await fixture.parts(() => {
          const _id = `t${String(gone.pop() ?? 0).padStart(4, '0')}`;
          fixture.database.apply({ remove: 'texts', filter: { _id } });
        });
        const { data, total } = JSON.parse(parts.join(''));
        assert.equal(total, all.length);
        const ids = data.map(({ id }: { id: string }) => id);
        assert.deepEqual(ids, [...new Set(ids)].toSorted());
      }),
      { numRuns: 100 },
    );
  });
});

test('answers of one moment share envelopes of bounded length', () => {
  const bodies = fc.array(fc.oneof(fc.nat(1_000), fc.nat(2 * ENVELOPE_MAX_CHARS)));
  forAll([bodies], (all) => {
    const envelopes = inEnvelopes(all, (each) => each);
    assert.deepEqual(envelopes.flat(), all);
    for (const envelope of envelopes) {
      const chars = envelope.reduce((sum, each) => sum + each, 0);
      assert.ok(envelope.length === 1 || chars <= ENVELOPE_MAX_CHARS);
    }
  });
});

test('turns go round the organizations, and no more work is under way than may', async () => {
  const turns = turnsOf(2);
  const order: string[] = [];
  let underWay = 0;
  const work = (orgId: string) => async () => {
    const begun = order.push(orgId);
    underWay += 1;
    assert.ok(underWay <= 2);
    await Promise.resolve();
    underWay -= 1;
    if (begun === 3) throw new Error('one fails');
  };
  const greedy = Array.from({ length: 20 }, () => turns.schedule('greedy', work('greedy')));
  const other = turns.schedule('other', work('other'));
  const outcomes = await Promise.allSettled([...greedy, other]);
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 1);
  assert.ok(order.indexOf('other') <= 3, order.join());
});

test('beside calls one turn of an organization is under way, and a rest follows it', async () => {
  const clock = new ManualClock();
  const turns = turnsOf(2, clock, { isContended: (orgId: string) => orgId === 'greedy' });
  const begun: string[] = [];
  const work = (orgId: string, tookMs: number) => () => {
    begun.push(orgId);
    clock.advance(tookMs);
    return Promise.resolve();
  };
  const greedy = [20, 20].map((ms) => turns.schedule('greedy', work('greedy', ms)));
  await greedy[0];
  await turns.schedule('other', work('other', 0));
  await turns.schedule('other', work('other', 0));
  assert.deepEqual(begun, ['greedy', 'other', 'other'], 'a rest holds up nobody else');
  await new Promise((resume) => setImmediate(resume));
  clock.advance(39);
  await new Promise((resume) => setImmediate(resume));
  assert.equal(begun.length, 3, 'twice as long as the turn took');
  clock.advance(1);
  await greedy[1];
  assert.equal(begun.at(-1), 'greedy');
});

test('deliveries come in parts, each once and newest first, also those of one moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 700 }), async (moments) => {
      const database = new Database();
      const state = { status: 'succeeded', attempts: [], nextAttemptAt: null };
      const documents = moments.map((createdAt, n) => ({
        ...{ _id: `dlv_${String(n).padStart(4, '0')}`, orgId: 'org_1', event: 'message.sent' },
        ...{ subscriptionId: 'sub_1', createdAt, state },
      }));
      for (const document of documents) database.apply({ insert: 'deliveries', document });
      const find = async (from: string, filter: Filter, options: FindOptions) =>
        database.find(from, filter, options);
      const environment = { store: { find } } as unknown as Environment;
      let payload: object = { orgId: 'org_1' };
      let body = '';
      for (let parts = 1; ; parts++) {
        const answer = await listDeliveries(environment, payload as never);
        body += answer.body;
        if (!answer.rest) break;
        assert.ok(parts < 10);
        payload = JSON.parse(JSON.stringify(answer.rest.payload));
      }
      const wanted = documents
        .toSorted((a, b) => b.createdAt - a.createdAt || (a._id < b._id ? 1 : -1))
        .map(({ _id }) => _id);
      const listed: { readonly data: readonly { readonly id: string }[] } = JSON.parse(body);
      assert.deepEqual(pluck(listed.data, 'id'), wanted);
    }),
    { numRuns: 30 },
  );
});
