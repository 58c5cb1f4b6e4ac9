/**
 * Checks of an installation with thousands of organizations. A process with actors makes them beside
 * its turns: one that takes longer than a lease would stop them all.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Db } from 'mongodb';
import { readDirectory } from '../../../../../../infra/programs/cli/checks/directory.ts';
import { checkNetworks } from '../../../../../../infra/programs/cli/checks/networks.ts';
import { checkTemplates } from '../../../../../../infra/programs/cli/checks/templates.ts';

const ORGANIZATIONS = 15_000;
/** Of the processor: others may use the machine. */
const LEASE_MS = 3_000;
const NOW = 1_795_000_000_000;

const numbers = Array.from({ length: ORGANIZATIONS }, (_, number) => number);
const organizations = numbers.map((number) => ({
  ...{ _id: `org_${number}`, ref: `org-${number}`, subscriptions: [] },
  channels: ['a', 'b'].map((ref) => ({
    ...{ id: `chn_${number}_${ref}`, ref, provider: 'cloud', enabled: true },
    ...{ networkReady: true, networkReason: null },
    network: { businessAccountId: String(number) },
  })),
}));
const businessAccounts = numbers.map((number) => ({
  ...{ orgId: `org_${number}`, businessAccountId: String(number), count: 3, reason: null },
}));

function cursorOf(documents: readonly object[]) {
  return {
    toArray: async () => documents,
    async *[Symbol.asyncIterator]() {
      yield* documents;
    },
  };
}

const collections: Readonly<Record<string, readonly object[]>> = {
  organizations,
  businessAccounts,
};
const db = {
  collection: (name: string) => ({ find: () => cursorOf(collections[name] ?? []) }),
} as unknown as Db;

it('templates, networks and names of 15,000 organizations take less than a lease', async () => {
  const before = process.cpuUsage();
  const templates = await checkTemplates(db);
  const networks = await checkNetworks(db, NOW);
  const { channels } = await readDirectory(db);
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1_000 < LEASE_MS);
  const read = {
    code: 'templatesRead',
    params: { count: 3 * ORGANIZATIONS, accounts: ORGANIZATIONS },
  };
  assert.deepEqual([templates.ok, templates.detail], [true, [read]]);
  assert.equal(networks.ok, true);
  assert.equal(channels.size, 2 * ORGANIZATIONS);
});
