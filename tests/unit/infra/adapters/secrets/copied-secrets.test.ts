/**
 * An attacker who can write to the record, but has no SECRETS_KEY, gains nothing from copying a
 * sealed secret to another place. That place may be another organization's, another channel's or
 * another field's.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadConfiguration } from '../../../../../actors/channel/readiness/configuration.ts';
import { decideApply } from '../../../../../actors/domain/organization/apply.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import type { Environment } from '../../../../../actors/environment.ts';
import {
  ConfigurationSource,
  SubscriptionCache,
} from '../../../../../actors/subscription/deliveries/configuration.ts';
import { createVault } from '../../../../../infra/adapters/secrets/vault.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { applyOf, contextAt, NOW } from '../../../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../../../support/example-file.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Filter, Store } from '../../../../support/plain-store.ts';

const vault = createVault(Buffer.alloc(32, 5).toString('base64'));

function organizationNamed(ref: string): OrganizationState {
  const channel = { label: 'A', provider: 'cloud', phone: '+55 11 4000-1000', enabled: true };
  const network = { ...CLOUD, accessToken: `token of ${ref}`, appSecret: `secret of ${ref}` };
  const file = {
    ...{ ref, name: ref, timeZone: 'America/Sao_Paulo', country: 'BR' },
    channels: [
      { ...channel, ref: 'one', network: { ...network, phoneNumberId: `1 of ${ref}` } },
      { ...channel, ref: 'two', network: { ...network, phoneNumberId: `2 of ${ref}` } },
    ],
    subscriptions: ['one', 'two'].map((name) => ({
      ...{ ref: name, url: 'https://example.com/', events: ['*'], secret: `signs for ${ref}` },
    })),
  };
  const { seal, open } = vault;
  const decided = decideApply(null, applyOf(file), { ...contextAt(NOW), seal, open });
  assert.ok('accepted' in decided && decided.accepted, JSON.stringify(decided));
  return decided.accepted;
}

/** A world in which only these organizations are on record. */
function environmentOf(...organizations: readonly OrganizationState[]): Environment {
  const database = new Database();
  for (const { id, ...state } of organizations) {
    database.apply({ insert: 'organizations', document: { _id: id, ...state } });
  }
  const findOne = async (from: string, filter: Filter) => database.findOne(from, filter);
  const find = async (from: string, filter: Filter) => database.find(from, filter);
  const store = { find, findOne } as unknown as Store;
  return { store, vault, clock: new ManualClock() } as unknown as Environment;
}

const mine = organizationNamed('mine');
const theirs = organizationNamed('theirs');
const first = <T>([one]: readonly T[]): T => {
  assert.ok(one);
  return one;
};

/** My first channel with other sealed secrets. */
function channelHolding(secrets: Readonly<Record<string, string>>): Environment {
  const channel = first(mine.channels);
  const changed = { ...channel, secrets: { ...channel.secrets, ...secrets } };
  return environmentOf(theirs, { ...mine, channels: [changed, ...mine.channels.slice(1)] });
}

describe('a sealed secret of a channel', () => {
  const { id } = first(mine.channels);

  test('opens where it was sealed for', async () => {
    const opened = await loadConfiguration(channelHolding({}), id);
    assert.equal(opened?.network.network.accessToken, 'token of mine');
  });

  for (const [where, accessToken] of Object.entries({
    'of another organization': first(theirs.channels).secrets.accessToken,
    'of another channel': mine.channels[1]?.secrets.accessToken,
    'of another field': first(mine.channels).secrets.appSecret,
  })) {
    test(`${where} does not open here`, async () => {
      assert.ok(accessToken);
      const opening = loadConfiguration(channelHolding({ accessToken }), id);
      await assert.rejects(opening, /does not open/);
    });
  }
});

describe('a sealed secret of a subscription', () => {
  const subscription = first(mine.subscriptions);
  const sourceWith = (secrets: typeof subscription.secrets) => {
    const changed = { ...subscription, secrets };
    const environment = environmentOf(theirs, { ...mine, subscriptions: [changed] });
    const cache = new SubscriptionCache(environment);
    return new ConfigurationSource(environment, cache, subscription.id);
  };

  test('signs where it was sealed for, and nowhere else', async () => {
    const { secrets } = (await sourceWith(subscription.secrets).read()) ?? {};
    assert.deepEqual(secrets, ['signs for mine']);
    for (const copied of [first(theirs.subscriptions), mine.subscriptions[1]]) {
      assert.ok(copied);
      await assert.rejects(sourceWith(copied.secrets).read(), /does not open/);
    }
  });
});
