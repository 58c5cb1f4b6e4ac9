/** `recado export` and `recado apply` of it: nothing changes (D181). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { decideApply } from '../../../../actors/domain/organization/apply.ts';
import { decideOrganization } from '../../../../actors/domain/organization/decide.ts';
import type { OrganizationState } from '../../../../actors/domain/organization/state.ts';
import { exportOrganization } from '../../../../actors/domain/organization/written.ts';
import { formatDuration, parseDuration } from '../../../../shared/provisioning/duration.ts';
import { STEP_ACTIONS } from '../../../../shared/provisioning/flow-steps.ts';
import { readOrganization } from '../../../../shared/provisioning/organization.ts';
import {
  channelSchema,
  fileSchema,
  flowSchema,
  keySchema,
  memberSchema,
  organizationSchema,
  subscriptionSchema,
} from '../../../../shared/provisioning/schema.ts';
import {
  applied,
  applyOf,
  contextAt,
  NOW,
} from '../../../support/actors/domain/organization-fixture.ts';
import { FULL, organizationArb, SECRET } from './organization-arb.ts';

const LATER = NOW + 86_400_000;

/** The output of the command line, read as it reads a file. */
function exported(state: OrganizationState): { readonly text: string; readonly raw: unknown } {
  const text = stringify(exportOrganization(state), { aliasDuplicateObjects: false });
  return { text, raw: parse(text, { maxAliasCount: 0 }) };
}

function assertUnchanged(state: OrganizationState): void {
  const { text, raw } = exported(state);
  assert.deepEqual(readOrganization(raw).issues, []);
  const decision = decideApply(state, applyOf(raw), contextAt(LATER, {}, ['vip']));
  assert.ok('accepted' in decision, JSON.stringify(decision));
  assert.equal(decision.accepted, state, 'the very same state');
  assert.deepEqual([decision.claims, decision.releases], [[], []]);
  assert.doesNotMatch(text, new RegExp(SECRET));
}

test('an export that is applied changes nothing, and holds no secret', () => {
  fc.assert(
    fc.property(organizationArb, (organization) => assertUnchanged(applied(organization))),
    { numRuns: 60 },
  );
});

/** Changes to an organization by others than the file. */
function livedIn(state: OrganizationState): OrganizationState {
  const made = decideOrganization(
    state,
    {
      ...{ id: 'key_by_hand', type: 'keys.create', seed: 'x'.repeat(32) },
      ...{ name: 'By hand', scope: 'account' },
    },
    contextAt(NOW),
  ).next;
  assert.ok(made);
  const [first] = made.keys;
  const [gone] = made.channels;
  return {
    ...made,
    keys: made.keys.map((key) => (key === first ? { ...key, revokedAt: NOW } : key)),
    channels: made.channels.map((channel) =>
      channel === gone ? { ...channel, networkReady: false, networkReason: 'Sem sinal.' } : channel,
    ),
    subscriptions: made.subscriptions.map((each) => ({
      ...each,
      enabled: false,
      disabledReason: 'gone',
      secrets: [...each.secrets, { sealed: 'sealed old', until: LATER }],
    })),
  };
}

test('nor does one of an organization that has been used, and of which much was removed', () => {
  fc.assert(
    fc.property(organizationArb, fc.infiniteStream(fc.boolean()), (organization, chances) => {
      const state = livedIn(applied(organization));
      const chance = (): boolean => chances.next().value;
      const removals = (entries: readonly { readonly ref: string }[]) =>
        entries.flatMap(({ ref }) => (chance() ? [{ ref, remove: true }] : []));
      const without = decideApply(
        state,
        applyOf({
          ref: state.ref,
          // Flows and keys go whole: entries that one of them names cannot go before it.
          keys: state.keys
            .filter(({ id, ref }) => id !== ref)
            .map(({ ref }) => ({ ref, remove: true })),
          flows: state.flows.map(({ ref }) => ({ ref, remove: true })),
          files: removals(state.files),
          subscriptions: removals(state.subscriptions),
          channels: removals(state.channels),
          members: removals(state.members),
        }),
        contextAt(NOW),
      );
      assert.ok('accepted' in without && without.accepted, JSON.stringify(without));
      assertUnchanged(state);
      assertUnchanged(without.accepted);
    }),
    { numRuns: 25 },
  );
});

const LEFT_OUT = {
  head: ['remove', 'tags'],
  members: ['remove'],
  channels: ['remove'],
  keys: ['remove', 'token'],
  flows: ['remove'],
  files: ['remove', 'path', 'contentDigest', 'sizeBytes'],
  subscriptions: ['remove', 'secret'],
};

test('an export holds every property that the schema knows', () => {
  const whole = { ...exportOrganization(applied(FULL)) } as Record<string, unknown>;
  const told = (list: string): string[] => {
    const entries = list === 'head' ? [whole] : (whole[list] as readonly object[]);
    return [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  };
  const known = {
    head: organizationSchema.entries,
    members: memberSchema.entries,
    channels: channelSchema.entries,
    keys: keySchema.entries,
    flows: flowSchema.pipe[0].entries,
    files: fileSchema.entries,
    subscriptions: subscriptionSchema.entries,
  };
  for (const [list, left] of Object.entries(LEFT_OUT)) {
    const names = Object.keys(known[list as keyof typeof known]);
    assert.deepEqual([...told(list), ...left].sort(), names.sort(), list);
  }
  const steps = applied(FULL).flows.flatMap(({ steps }) => steps.map((step) => String(step.do)));
  assert.deepEqual([...new Set(steps)].sort(), [...STEP_ACTIONS].sort());
});

test('a duration is written as it is read', () => {
  const written = fc
    .tuple(fc.nat(999_999_999), fc.nat(999), fc.constantFrom('ms', 's', 'm', 'h', 'd'))
    .map(([whole, thousandths, unit]) => `${whole}.${String(thousandths).padStart(3, '0')}${unit}`);
  fc.assert(
    fc.property(written, (text) => {
      const ms = parseDuration(text);
      assert.ok(ms !== null);
      assert.equal(parseDuration(formatDuration(ms)), ms);
    }),
  );
  assert.deepEqual([6_000, 90_000, 3_600_000, 0, 250].map(formatDuration), [
    ...['6s', '90s', '1h', '0d', '250ms'],
  ]);
});

test('a flow that names what is no more is exported, and applied as it is', () => {
  const state = applied(FULL);
  const gone = { ...state, members: state.members.map((each) => ({ ...each, removed: true })) };
  assertUnchanged(gone);
});

test('an address that names a password is left out whole, and stays', () => {
  const bridge = 'http://user:SECRET-password@bridge.example:3000';
  const channel = {
    ...{ ref: 'web', label: 'Web', provider: 'web', phone: '+55 11 4000-2000' },
    network: { baseUrl: bridge, session: 's', apiKey: 'k', webhookSecret: 'w' },
  };
  const state = applied({ ref: 'loja', name: 'Loja', channels: [channel] });
  assert.equal(state.channels[0]?.network.baseUrl, bridge);
  assertUnchanged(state);
});
