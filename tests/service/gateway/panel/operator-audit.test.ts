/** The acts of the command line in the audit log: the operator's, and of no person. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { freshPhone } from '../../../support/api.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { useSubscriber } from '../../../support/stack-hooks.ts';
import { waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

const EntrySchema = v.looseObject({
  ...{ memberId: v.nullable(v.string()), name: v.string(), role: v.string() },
  ...{ address: v.string(), operation: v.string() },
  subject: v.object({ kind: v.string(), id: v.string() }),
  details: v.record(v.string(), v.string()),
});
type Entry = v.InferOutput<typeof EntrySchema>;

const KeySchema = v.object({ id: v.string(), token: v.string() });

describe('the operator in the audit log', () => {
  let eve: Browser;

  const subscriber = useSubscriber();
  before(async () => {
    eve = await panel().signedInAs('eve', panel().other.ref);
  });

  /** Entries of the command line, newest first. */
  async function entries(): Promise<readonly Entry[]> {
    const all = await rows(eve, '/panel/api/audit?limit=200');
    return v.parse(v.array(EntrySchema), all).filter(({ name }) => name === 'recado');
  }

  /** The entries that an act has added. */
  async function added(act: () => Promise<unknown>, count = 1): Promise<readonly Entry[]> {
    const before = (await entries()).length;
    await act();
    const found = await waitUntil('the entry', async () => {
      const all = await entries();
      return all.length >= before + count ? all : null;
    });
    return found.slice(0, found.length - before);
  }

  function told(found: readonly Entry[]) {
    return found.map(({ operation, subject }) => `${operation} ${subject.kind} ${subject.id}`);
  }

  function apply(more: object) {
    return panel().stack.apply({ orgs: [{ ref: panel().other.ref, ...more }] });
  }

  test('an apply names the changed entries, and none that changes nothing', async () => {
    const { other } = panel();
    const url = `${subscriber.url}/audited`;
    const file = {
      subscriptions: [{ ref: 'erp', url, events: ['message.sent'] }],
      members: [{ ref: 'fred', name: 'Fred', email: 'fred@example.com' }],
    };
    const [entry, ...others] = await added(() => apply(file));
    assert.ok(entry && others.length === 0);
    assert.deepEqual(
      [entry.role, entry.memberId, entry.address, entry.operation],
      ['operator', null, 'command line', 'apply'],
    );
    assert.deepEqual(entry.subject, { kind: 'organization', id: other.id });
    const { ref, changed = '' } = entry.details;
    assert.equal(ref, other.ref);
    assert.deepEqual(changed.split(' ').sort(), ['members.fred', 'subscriptions.erp']);
    const before = await entries();
    await apply(file);
    const check = ['apply', '--check', '-'];
    const unmade = JSON.stringify({ orgs: [{ ref: other.ref, name: 'Outra' }] });
    assert.equal((await panel().stack.recado(check, unmade)).code, 0);
    assert.deepEqual(await entries(), before);
  });

  test('a removed flow is told from a disabled one', async () => {
    const steps = [{ id: 'bye', do: 'end' }];
    const flow = { ref: 'brief', name: 'Breve', enabled: true, steps };
    await apply({ flows: [flow] });
    const [disabled] = await added(() => apply({ flows: [{ ref: 'brief', enabled: false }] }));
    assert.deepEqual([disabled?.details.enabled, disabled?.details.removed], ['false', undefined]);
    const [removed] = await added(() => apply({ flows: [{ ref: 'brief', remove: true }] }));
    assert.equal(removed?.subject.kind, 'flow');
    assert.deepEqual(removed?.details, { ref: 'brief', name: 'Breve', removed: 'true' });
  });

  test('an apply of tags alone has an entry, once', async () => {
    const tags = { tags: [{ ref: 'auditada' }] };
    const [entry] = await added(() => apply(tags));
    assert.equal(entry?.details.changed, 'tags.auditada');
    const before = await entries();
    await apply(tags);
    assert.deepEqual(await entries(), before);
  });

  test('keys, members and subscriptions', async () => {
    const { stack, other } = panel();
    const org = ['--org', other.ref];
    const create = ['keys', 'create', ...org, '--name', 'ERP', '--scope', 'account'];
    let key = { id: '', token: '' };
    const made = await added(async () => {
      key = v.parse(KeySchema, await stack.ask(...create));
    });
    assert.deepEqual(told(made), [`createKey key ${key.id}`]);
    assert.ok(!JSON.stringify(made).includes(key.token));
    const revoked = await added(() => stack.ask('keys', 'revoke', key.id));
    assert.deepEqual(told(revoked), [`revokeKey key ${key.id}`]);
    const fred = ['members', 'role', ...org, '--member', 'fred', '--role', 'viewer'];
    const [role] = await added(() => stack.ask(...fred));
    assert.deepEqual(role?.details, { role: 'viewer', disabled: 'false' });
    const before = await entries();
    await stack.ask(...fred);
    assert.deepEqual(await entries(), before, 'the same role again is no change');
    const disable = ['members', 'disable', ...org, '--member', 'fred'];
    const [disabled] = await added(() => stack.ask(...disable));
    assert.equal(disabled?.details.disabled, 'true');
    const [rotated] = await added(() => stack.ask('subscriptions', 'rotate', 'erp', ...org));
    assert.deepEqual(
      [rotated?.operation, rotated?.subject.kind],
      ['rotateSubscription', 'subscription'],
    );
  });

  test('what it does in a conversation, and a retry of deliveries', async () => {
    const { stack, other } = panel();
    const sent = await stack.send(other.key, {
      ...{ channelId: other.main, phone: freshPhone(), text: 'Olá!' },
    });
    const id = sent.conversationId;
    const resolved = await added(() => stack.ask('conversations', 'resolve', id));
    assert.deepEqual(told(resolved), [`resolveConversation conversation ${id}`]);
    const [delivery] = await subscriber.until('/audited', 1);
    assert.ok(delivery);
    const range = ['--org', other.ref, '--subscription', 'erp', '--since', '1h'];
    const [retried] = await added(() => stack.ask('deliveries', 'retry', ...range));
    assert.deepEqual(
      [retried?.operation, retried?.subject.kind],
      ['retryDeliveries', 'subscription'],
    );
  });
});
