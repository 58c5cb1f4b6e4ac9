/**
 * An entity that is changed under keys all day does not grow: its document is bounded. Records of
 * commands that have left it are swept once they have expired, and each command is executed once.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMPLETED, purgeCompleted } from '../../../../actors/outbox/completed.ts';
import { packed } from '../../../../infra/adapters/mongo/packing.ts';
import { createStore } from '../../../../infra/adapters/mongo/store.ts';
import {
  COMPLETED_COMMANDS_MAX,
  CONTACT_FIELDS_MAX,
  LASTING_COMMAND_RETENTION_MS,
  RETAINED_ANSWERS_MAX,
  RETAINED_ANSWERS_MAX_CHARS,
} from '../../../../shared/limits.ts';
import type { Answer, CommandOf } from '../../../../shared/ports/bus.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { CONTACT, Owner } from '../../../faults/fencing/owners.ts';
import { StillClock } from '../../../faults/fencing/still-clock.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { fileEngine } from '../../../support/engine.ts';
import type { Document, Store } from '../../../support/plain-store.ts';

const ORG = 'org_1';
const DEAL = 'dea_1';
const EVERY_MS = 500;
/** Ids of 26 characters with time and status, and the answers of ten seconds. */
const DOCUMENT_MAX_BYTES = 48 * 1024;

const create: CommandOf = {
  ...{ id: DEAL, type: 'create', orgId: ORG, contactId: CONTACT, title: 'Plano', valueCents: 0 },
  ...{ stageId: null, ownerId: null, expectedCloseOn: null, conversationId: null, origin: 'api' },
};

const idOf = (number: number): string => `cmd_${String(number).padStart(22, '0')}`;

function keyed(number: number): CommandOf {
  const change = { id: idOf(number), type: 'change', orgId: ORG, valueCents: number } as const;
  return { ...change, origin: 'api', lasting: true };
}

class Day {
  readonly store: Store;
  readonly clock = new StillClock();
  readonly #owner: Owner;

  constructor(store: Store) {
    this.store = store;
    this.#owner = new Owner('deal', store, this.clock);
  }

  async begin(): Promise<void> {
    await this.store.commit([
      { insert: 'organizations', document: { _id: ORG, members: [] } },
      { insert: 'contacts', document: { _id: CONTACT, orgId: ORG, phone: '5511998877665' } },
    ]);
    assert.equal((await this.#owner.turn(DEAL, create)).status, 201);
  }

  async change(from: number, to: number): Promise<void> {
    for (let number = from; number < to; number++) {
      assert.equal((await this.#owner.turn(DEAL, keyed(number))).status, 200);
      this.clock.pass(EVERY_MS);
    }
  }

  async document(): Promise<Document & { readonly version: number }> {
    const found = await this.store.byId<Document & { version: number }>('deals', DEAL);
    assert.ok(found);
    return found;
  }

  /** Asked again, long after their answers' bodies were forgotten. */
  async repeat(numbers: readonly number[]): Promise<void> {
    const { version } = await this.document();
    for (const number of numbers) {
      const { status, body } = await this.#owner.turn(DEAL, keyed(number));
      assert.equal(status, 200, body);
    }
    assert.equal((await this.document()).version, version, 'nothing was decided again');
  }
}

const records = (store: Store): Promise<number> => store.count(COMPLETED, { until: { $gt: 0 } });

const engine = fileEngine();

test('10,000 keyed commands leave a bounded document, and no record after a day', async () => {
  const day = new Day(modelStore(new Database()));
  await day.begin();
  for (let number = 0; number < 10_000; number += 500) {
    await day.change(number, number + 500);
    const { completed, ...rest } = packed('deals', await day.document()) as Record<string, unknown>;
    const { json } = Object(completed);
    assert.ok(JSON.parse(json).recent.length <= COMPLETED_COMMANDS_MAX);
    assert.ok(json.length + JSON.stringify(rest).length < DOCUMENT_MAX_BYTES);
  }
  await day.repeat([0, 1, 4_999, 9_700, 9_899, 9_900, 9_999]);
  const left = await records(day.store);
  assert.ok(left > 9_700 && left < 10_000, `${left} records`);
  await purgeCompleted(day);
  assert.equal(await records(day.store), left, 'each counts for a day');
  day.clock.pass(LASTING_COMMAND_RETENTION_MS - 5_000 * EVERY_MS);
  await purgeCompleted(day);
  await day.repeat([5_001, 9_999]);
  const younger = await records(day.store);
  assert.ok(younger > 4_700 && younger < 5_000, `${younger} records`);
  day.clock.pass(5_000 * EVERY_MS);
  await purgeCompleted(day);
  assert.equal(await records(day.store), 0);
  await day.change(10_000, 10_001);
  const { completed } = await day.document();
  assert.equal(Object(completed).recent.length, 1, 'the document forgets them as well');
});

test('the bodies of large answers leave the document before their commands do', async () => {
  const store = modelStore(new Database());
  const owner = new Owner('contact', store, new StillClock());
  const names = Array.from({ length: CONTACT_FIELDS_MAX - 1 }, (_, number) => `campo ${number}`);
  const large = Object.fromEntries(names.map((name) => [name, 'x'.repeat(250)]));
  const upsert = (number: number): CommandOf => {
    const fields = { ...large, numero: String(number) };
    const command = { id: idOf(number), type: 'upsert', orgId: ORG, fields } as const;
    return { ...command, phone: '5511998877665', source: 'api', origin: 'api' };
  };
  for (let number = 0; number < RETAINED_ANSWERS_MAX; number++) {
    const { status } = await owner.turn('ctc_2', upsert(number));
    assert.equal(status, number === 0 ? 201 : 200);
  }
  const found = Object(await store.byId('contacts', 'ctc_2'));
  const bodies = found.answers.map(({ answer }: { answer: Answer }) => answer.body);
  const [largest = '', ...others] = bodies;
  assert.ok(others.length > 0 && others.length < RETAINED_ANSWERS_MAX / 2);
  assert.ok([largest, ...others].join('').length <= RETAINED_ANSWERS_MAX_CHARS);
  const again = await owner.turn('ctc_2', upsert(0), true);
  assert.equal(again.status, 201, 'answered as then, of the contact as it is');
  assert.match(again.body, new RegExp(`"numero":"${RETAINED_ANSWERS_MAX - 1}"`));
  assert.equal(Object(await store.byId('contacts', 'ctc_2')).version, found.version);
});

describe('on the real engine', () => {
  test('commands that have left the document are found, and swept by an index', async () => {
    const day = new Day(createStore(engine.mongo));
    await day.begin();
    await day.change(0, 450);
    assert.ok((await records(day.store)) >= 250);
    await day.repeat([0, 100, 249, 250, 449]);
    const plan = await engine.mongo.db
      .collection(COMPLETED)
      .find({ until: { $lte: day.clock.now() } })
      .limit(500)
      .explain();
    assert.match(JSON.stringify(plan), /IXSCAN/);
    assert.doesNotMatch(JSON.stringify(plan), /COLLSCAN/);
    day.clock.pass(LASTING_COMMAND_RETENTION_MS);
    await purgeCompleted(day);
    assert.equal(await records(day.store), 0);
  });
});
