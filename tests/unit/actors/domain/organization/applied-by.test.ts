/** Audit entry of an `apply`: the names of what has changed, or the one flow (D227, D238). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditOfTags, withAuditOf } from '../../../../../actors/domain/organization/applied-by.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import {
  applied,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';
import { ANA } from './acting-person-fixture.ts';

const LATER = NOW + 5_000;
const FLOW = { ref: 'welcome', name: 'L', steps: [{ id: 'a', do: 'end' }] };

/** Ids are stored: they are spelled out here. */
function contextBy(by?: typeof ANA) {
  const ids = { ...contextAt(LATER).ids, derive: (...parts: string[]) => parts.join(' ') };
  return { now: LATER, ids, ...(by === undefined ? {} : { by }) };
}

function audit(before: OrganizationState | null, file: object, commandId = 'cmd_1') {
  const after = applied({ ref: 'loja', ...file }, before, LATER);
  const next = withAuditOf({ before, commandId, context: contextBy(ANA) }, after);
  const [entry, ...more] = next.audit ?? [];
  assert.ok(entry && more.length === 0, 'has one entry');
  return { after, entry };
}

/** The changed names in an entry of the organization. */
function changed(before: OrganizationState | null, file: object): string | undefined {
  const { after, entry } = audit(before, file);
  assert.deepEqual(entry.subject, { kind: 'organization', id: after.id });
  assert.deepEqual(Object.keys(entry.details), ['ref', 'changed']);
  assert.equal(entry.details.ref, 'loja');
  return entry.details.changed;
}

const membersUpTo = (count: number) => ({
  members: Array.from({ length: count }, (_, n) => ({ ref: `m${n + 1}`, name: 'M' })),
});
const namesUpTo = (count: number) => membersUpTo(count).members.map(({ ref }) => `members.${ref}`);

describe('the audit entry of an apply', () => {
  it('has its author, the moment, and an id that a repeat of the command has too', () => {
    const { after, entry } = audit(applied(LOJA), { name: 'Outra' });
    assert.deepEqual(entry, {
      ...{ id: 'aud cmd_1 apply', at: LATER, by: ANA },
      subject: { kind: 'organization', id: after.id },
      details: { ref: 'loja', changed: 'name' },
    });
    assert.notEqual(audit(applied(LOJA), { name: 'Outra' }, 'cmd_2').entry.id, entry.id);
  });

  it('replaces that of the change before; without an author there is none', () => {
    const before = applied(LOJA);
    const { entry } = audit(before, { name: 'Outra' });
    const after = { ...applied({ ref: 'loja', name: 'Ainda' }, before), audit: [entry] };
    const { audit: _entry, ...state } = after;
    const one = { before, commandId: 'cmd_2' };
    assert.deepEqual(withAuditOf({ ...one, context: contextBy() }, after), state);
    const { audit: entries, ...rest } = withAuditOf({ ...one, context: contextBy(ANA) }, after);
    assert.deepEqual(rest, state);
    assert.deepEqual(pluck(entries, 'id'), ['aud cmd_2 apply']);
  });

  it('names the others too where one flow changes in more rows than an answer holds', () => {
    const stepsOf = (prefix: string) => [
      ...Array.from({ length: 300 }, (_, n) => {
        return { id: `${prefix}${n}`, do: 'send', text: 'oi', next: `${prefix}${n + 1}` };
      }),
      { id: `${prefix}300`, do: 'end' },
    ];
    const flows = (prefix: string) => [{ ...FLOW, steps: stepsOf(prefix) }];
    const before = applied({ ...LOJA, flows: flows('a') });
    const subscriptions = [{ ref: 'crm', url: 'https://crm.example/', events: ['*'] }];
    const names = changed(before, { flows: flows('b'), subscriptions });
    assert.equal(names, 'flows.welcome subscriptions.crm');
  });

  it('names entries and own properties, each once, and no values', () => {
    const state = applied(LOJA);
    const main = { ref: 'main', label: 'Outro', pace: { pairBurst: 3 } };
    const rows: readonly (readonly [object, string])[] = [
      [{ timeZone: 'Europe/Lisbon' }, 'timeZone'],
      [{ limits: { perKey: 7, perOrg: 8 } }, 'limits.perKey limits.perOrg'],
      [{ channels: [main] }, 'channels.main'],
      [{ channels: [main], name: 'Outra' }, 'name channels.main'],
      [{ members: [{ ref: 'ana', remove: true }] }, 'members.ana'],
      [{ subscriptions: [{ ref: 'crm', secret: 'of their own' }] }, 'subscriptions.crm'],
    ];
    for (const [file, names] of rows) assert.equal(changed(state, file), names);
  });

  it('of a new organization names all its entries, and of one that goes none', () => {
    const names = 'members.ana channels.main channels.shop keys.erp keys.shop-key flows.welcome';
    assert.equal(changed(null, LOJA), `${names} files.logo subscriptions.crm`);
    assert.equal(changed(null, { name: 'L', flows: [FLOW] }), 'flows.welcome');
    assert.equal(changed(applied(LOJA), { remove: true }), '');
  });

  it('names twenty entries at most, and says that there are more', () => {
    const state = applied({ ref: 'loja', name: 'L' });
    assert.equal(changed(state, membersUpTo(19)), namesUpTo(19).join(' '));
    assert.equal(changed(state, membersUpTo(20)), namesUpTo(20).join(' '));
    assert.equal(changed(state, membersUpTo(21)), `${namesUpTo(20).join(' ')} …`);
    assert.equal(changed(state, membersUpTo(40)), `${namesUpTo(20).join(' ')} …`);
  });
});

describe('the audit entry of an apply that changes one flow alone', () => {
  const other = { ...FLOW, ref: 'other', name: 'Outro' };
  const loja = { ...LOJA, flows: [...LOJA.flows, other] };

  it('is of that flow', () => {
    const rows = [
      ['other', { enabled: false }, { name: 'Outro', enabled: 'false', steps: '1' }],
      ['other', { name: 'Novo' }, { name: 'Novo', enabled: 'true', steps: '1' }],
      ['welcome', { isMain: true }, { name: 'Boas-vindas', enabled: 'true', steps: '3' }],
      ['new', { ...FLOW, name: 'Outro' }, { name: 'Outro', enabled: 'true', steps: '1' }],
      ['welcome', { remove: true }, { name: 'Boas-vindas', removed: 'true' }],
    ] as const;
    for (const [ref, change, details] of rows) {
      const flow = { ...change, ref };
      const { after, entry } = audit(applied(loja), { flows: [flow] });
      const { id } = named(after.flows, flow.ref);
      assert.deepEqual(entry.subject, { kind: 'flow', id });
      assert.deepEqual(entry.details, { ref: flow.ref, ...details });
    }
  });

  it('is of the organization where anything else changes with it', () => {
    const off = (ref: string) => ({ ref, enabled: false });
    const state = applied(loja);
    const both = { flows: [off('welcome'), off('other')] };
    assert.equal(changed(state, both), 'flows.welcome flows.other');
    const named = { flows: [off('other')], name: 'Outra' };
    assert.equal(changed(state, named), 'name flows.other');
    const filed = { flows: [off('other')], files: [{ ref: 'logo', name: 'marca.png' }] };
    assert.equal(changed(state, filed), 'flows.other files.logo');
    assert.equal(changed(state, { ...both, ...filed, ...named }), 'name flows.other files.logo');
  });
});

describe('the audit entry of an apply of tags alone', () => {
  const state = applied(LOJA);
  const of = (add: readonly string[], remove: readonly string[], by?: typeof ANA) =>
    auditOfTags({ before: state, commandId: 'cmd_1', context: contextBy(by) }, state, {
      add,
      remove,
    });

  it('names the tags, added and removed', () => {
    assert.deepEqual(of(['vip', 'novo'], ['antigo'], ANA), {
      ...{ id: 'aud cmd_1 apply', at: LATER, by: ANA },
      subject: { kind: 'organization', id: state.id },
      details: { ref: 'loja', changed: 'tags.vip tags.novo tags.antigo' },
    });
    assert.equal(of(['vip'], [], ANA)?.details.changed, 'tags.vip');
    assert.equal(of([], ['vip'], ANA)?.details.changed, 'tags.vip');
  });

  it('is none where no tag changes, and none without an author', () => {
    assert.equal(of([], [], ANA), null);
    assert.equal(of(['vip'], ['antigo']), null);
  });
});
