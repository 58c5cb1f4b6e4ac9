/** Every channel that could send is probed, also one that its owner got no command for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../../../actors/environment.ts';
import { createKinds } from '../../../../actors/kinds.ts';
import { OrganizationTags } from '../../../../actors/organization/documents.ts';
import { executeOperatorCommand } from '../../../../actors/organization/operator-commands.ts';
import type { Address, Command } from '../../../../shared/ports/bus.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { applyOf, contextAt, NOW } from '../../../support/actors/domain/organization-fixture.ts';
import { SILENT } from '../../../support/engine.ts';
import { CLOUD } from '../../../support/example-file.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const CHANNEL = 'chn_1';
const PARTITION = partitionOf('channel', CHANNEL);
const quiet = (): void => undefined;

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go));
}

function channel(id: string, removed: boolean) {
  const pace = { perSecond: 1, pairBurst: 1, pairEveryMs: 1 };
  const entry = { id, label: id, provider: 'web', phone: '551140001000', enabled: true, pace };
  return { ...entry, network: {}, secrets: {}, removed };
}

async function passing(clock: ManualClock, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    clock.advance(1_000);
    await settle();
  }
}

test('a channel that was added without a word is probed within a minute, a removed one never', async () => {
  const clock = new ManualClock();
  const database = new Database();
  const probed: string[] = [];
  const status = async ({ id }: NetworkChannel) => {
    probed.push(id);
    return { ready: true };
  };
  const environment = {
    ...{ store: modelStore(database), clock, log: SILENT, leaseHeld: () => true },
    ids: contextAt(NOW).ids,
    bus: { ask: async () => ({ status: 200, body: '{}' }), nudge: quiet, answerAll: quiet },
    networks: { driver: () => ({ status }) },
  } as unknown as Environment;
  const [kind] = createKinds(environment, ['channel']);
  await kind?.acquire?.(PARTITION, 1);
  const channels = [channel(CHANNEL, false), channel(sibling(), true)];
  const organization = { _id: 'org_1', country: 'BR', channels };
  database.apply({ insert: 'organizations', document: organization });
  await passing(clock, 60);
  assert.deepEqual(probed, [CHANNEL]);
  await passing(clock, 120);
  assert.deepEqual(probed, [CHANNEL, CHANNEL, CHANNEL], 'after 10 s and a minute later');
});

/** Another channel of the partition. */
function sibling(): string {
  for (let n = 2; ; n++) if (partitionOf('channel', `chn_${n}`) === PARTITION) return `chn_${n}`;
}

test('a configure that its channel does not take is repeated until it is taken', async () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  const answers = [500, 500, 200];
  const ask = async (_: Address, { type }: Command) => {
    asked.push(type);
    return { status: answers[asked.length - 1] ?? 200, body: '{"ready":true}' };
  };
  const { ids, seal, open, publicUrl } = contextAt(NOW);
  const environment = {
    ...{ store: modelStore(new Database()), clock, log: SILENT, leaseHeld: () => true, ids },
    ...{ bus: { ask }, settings: { publicUrl }, vault: { seal, open } },
  } as unknown as Environment;
  const number = { ref: 'number', label: 'Vendas', provider: 'cloud', phone: '+55 11 4000-1000' };
  const channels = [{ ...number, enabled: true, network: CLOUD }];
  const command = applyOf({ ref: 'shop', name: 'Loja', channels });
  const tags = new OrganizationTags(environment.store, 'org_1');
  const offer = async () => true;
  const answer = await executeOperatorCommand(environment, {
    ...{ state: null, command, lastUsedAt: () => null, compareAndSet: offer, tags },
  });
  assert.equal(answer.status, 200, answer.body);
  assert.deepEqual(asked, ['configure']);
  await passing(clock, 10);
  assert.deepEqual(asked, ['configure', 'configure', 'configure']);
});
