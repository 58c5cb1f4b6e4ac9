/**
 * Tags of an organization: documents of their own, however many there are (D125). A write that the
 * store refuses for its content is answered at once, with its cause in the log.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Environment } from '../../../actors/environment.ts';
import { OrganizationActor } from '../../../actors/organization/actor.ts';
import { AdmissionStates } from '../../../actors/organization/admission.ts';
import { OrganizationTags } from '../../../actors/organization/documents.ts';
import { EventFanOut } from '../../../actors/organization/fan-out.ts';
import { Mailbox } from '../../../actors/runtime/mailbox.ts';
import { WriteRefused } from '../../../actors/runtime/turn.ts';
import { TAGS_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import type { Answer, CommandOf } from '../../../shared/ports/bus.ts';
import type { Store, Write } from '../../../shared/ports/store.ts';
import { applied } from '../../support/actors/domain/organization-fixture.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { UNHEARD } from '../../support/unheard.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';

const FILE = { ref: 'loja', name: 'Loja', timeZone: 'America/Sao_Paulo', country: 'BR' };

interface Owned {
  readonly id: string;
  readonly database: Database;
  readonly written: Write[];
  readonly ensure: (...tags: string[]) => Promise<Answer>;
}

function owned(storeOf: (store: Store) => Store = (store) => store): Owned {
  const { id, ...state } = applied(FILE);
  const database = new Database();
  database.apply({ insert: 'organizations', document: { _id: id, ...state } });
  const written: Write[] = [];
  const model = storeOf(modelStore(database));
  const store: Store = {
    ...model,
    commit(writes) {
      written.push(...writes);
      return model.commit(writes);
    },
  };
  const settings = { callsPerKey: 120, callsPerOrganization: 600 };
  const environment = {
    store,
    clock: new ManualClock(),
    log: SILENT,
    live: UNHEARD,
    settings,
  } as unknown as Environment;
  const rateWindows = new AdmissionStates(environment);
  const countersOf = (org: string) => ({
    load: () => rateWindows.acquire(org, 1),
    release: () => rateWindows.release(org, 1),
  });
  const fanOut = new EventFanOut(environment, { claimOnInsert: async () => null });
  const actor = new OrganizationActor(id, { environment: environment, fanOut }, countersOf(id));
  const ensure = async (...tags: string[]): Promise<Answer> => {
    const command = { id: 'cmd', type: 'ensure-tags', tags } as const;
    const context = { repeat: false, epoch: 1 };
    return (await actor.sharedHandler(command, context)) ?? actor.turn(command, context);
  };
  return { id, database, written, ensure };
}

const bodyOf = ({ status, body }: Answer): unknown => [status, JSON.parse(body)];

describe('an organization’s tags (decisions: D125)', () => {
  test('are documents: a further one writes nothing of the organization', async () => {
    const { database, written, ensure } = owned();
    assert.deepEqual(bodyOf(await ensure('VIP', 'vip', 'Ação')), [200, ['VIP', 'VIP', 'Ação']]);
    assert.deepEqual(bodyOf(await ensure('AÇÃO', 'novo')), [200, ['Ação', 'novo']]);
    assert.deepEqual(bodyOf(await ensure('Novo', 'vIP')), [200, ['novo', 'VIP']]);
    assert.equal(database.all('tags').length, 3);
    assert.ok(written.every((write) => 'insert' in write && write.insert === 'tags'));
    assert.equal(written.length, 3);
  });

  test('are so many at most: what would make more is a 422 at the field', async () => {
    const { id, database, ensure } = owned((store) => ({
      ...store,
      count: async (collection, filter) => {
        const there = await store.count(collection, filter);
        return collection === 'tags' ? there + TAGS_MAX_PER_ORGANIZATION - 2 : there;
      },
    }));
    assert.equal((await ensure('one')).status, 200);
    const refused = await ensure('two', 'three');
    assert.equal(refused.status, 422);
    assert.equal(JSON.parse(refused.body).issues[0].path, 'tags');
    assert.equal((await ensure('two', 'ONE')).status, 200);
    assert.equal((await ensure('four')).status, 422);
    assert.equal((await ensure('ONE', 'Two')).status, 200);
    const others = await new OrganizationTags(modelStore(database), `${id}x`).known(['one', 'new']);
    assert.deepEqual(others, { names: new Map(), count: 0 });
  });
});

interface Taken {
  readonly answers: readonly (Answer | null)[];
  readonly turns: number;
  readonly logged: readonly Record<string, unknown>[];
}

/** An ask whose turns end in a fault. */
async function asked(fault: Error): Promise<Taken> {
  const answers: (Answer | null)[] = [];
  const logged: Record<string, unknown>[] = [];
  let turns = 0;
  const mailbox = new Mailbox('dea_1', {
    clock: new ManualClock(),
    log: { ...SILENT, error: (fields: Record<string, unknown>) => void logged.push(fields) },
    epoch: 1,
    leaseHeld: () => true,
    open: () => ({
      turn: () => {
        turns += 1;
        return Promise.reject(fault);
      },
    }),
    onTurn: () => undefined,
    journalBarrier: () => Promise.resolve(),
    onInDoubt: () => undefined,
    onDisposable: () => undefined,
    forward: () => undefined,
  });
  const command: CommandOf = { id: 'cmd_1', type: 'change', orgId: 'org_1', origin: 'api' };
  mailbox.post({
    address: { kind: 'deal', key: 'dea_1' },
    command,
    deadline: Number.MAX_SAFE_INTEGER,
    repeat: false,
    answer: (answer) => answers.push(answer),
  });
  for (let round = 0; round < 20; round++) await turn();
  return { answers, turns, logged };
}

test('a write that the store refuses for what it is is answered at once, its cause logged', async () => {
  const cause = new Error('the document is larger than 16777216');
  const { answers, turns, logged } = await asked(new WriteRefused('deal dea_1', { cause }));
  assert.deepEqual([answers.length, answers[0]?.status, turns], [1, 500, 1]);
  assert.match(String(logged[0]?.error), /the store refused deal dea_1.*larger than 16777216/s);
});

test('a store that cannot say is asked again', async () => {
  const { answers, turns } = await asked(new Error('connection lost'));
  assert.deepEqual([answers, turns], [[], 1]);
});
