/** Two applies at one moment that give one network number to two channels (D180). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../../actors/environment.ts';
import {
  compareAndSetOrganization,
  OrganizationTags,
} from '../../../actors/organization/documents.ts';
import { executeOperatorCommand } from '../../../actors/organization/operator-commands.ts';
import { applyOf, contextAt, NOW } from '../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../support/example-file.ts';
import type { Store } from '../../support/plain-store.ts';
import { inEnglish } from '../../support/provisioning/in-english.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf } from './environment.ts';
import { modelStore } from './model-store.ts';

function environmentOn(store: Store): Environment {
  const { ids, seal, open, publicUrl } = contextAt(NOW);
  const ask = async () => ({ status: 200, body: '{"ready":true}' });
  const clock = { now: () => NOW };
  const own = { settings: { publicUrl }, vault: { seal, open } };
  return environmentOf({ store, clock, ids, bus: { ask }, ...own });
}

/** Applies an organization of one channel; `first` runs between its look-ups and its commit. */
async function applying(store: Store, ref: string, first?: () => Promise<void>) {
  const number = { ref: 'main', label: 'Vendas', provider: 'cloud', phone: '+55 11 4000-1000' };
  const channels = [{ ...number, enabled: true, network: CLOUD }];
  const answer = await executeOperatorCommand(environmentOn(store), {
    state: null,
    command: applyOf({ ref, name: 'Loja', channels }),
    compareAndSet: async (next) => {
      await first?.();
      return compareAndSetOrganization(store, next);
    },
    tags: new OrganizationTags(store, `org_${ref}`),
    lastUsedAt: () => null,
  });
  const { problems = [] } = JSON.parse(answer.body);
  return { status: answer.status, issues: inEnglish(problems) };
}

test('the second commit is refused, names the holder, and stores nothing', async () => {
  const database = new Database();
  const store = modelStore(database);
  const other = async () => {
    assert.equal((await applying(store, 'first')).status, 200);
  };
  const { status, issues } = await applying(store, 'second', other);
  const path = 'channels.0.network.phoneNumberId';
  const message = 'is already that of channel "main" of organization "first"';
  assert.deepEqual([status, issues], [422, [{ path, message }]]);
  const stored = database.all('organizations').map(({ ref }) => ref);
  assert.deepEqual(stored, ['first']);
});

test('a holder that has gone again is told as such', async () => {
  const database = new Database();
  const store = modelStore(database);
  const key = 'cloud sandbox 1001';
  const passing = async () => {
    const document = { _id: 'org_x', numbers: [key], channels: [] };
    database.apply({ insert: 'organizations', document });
  };
  const lost = await applying(store, 'second', passing);
  assert.equal(lost.status, 422);
  assert.match(lost.issues[0]?.message ?? '', /at this moment: apply again$/);
});
