/** D430: a commit of a contact has one event at most, and none where nobody hears it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactActor } from '../../../../actors/contact/actor.ts';
import type { CommandOf } from '../../../../shared/ports/bus.ts';
import type { OutboxItem } from '../../../../shared/wire/outbox.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { UNHEARD } from '../../../support/unheard.ts';

function contactOf(heard: readonly string[]) {
  const committed: (readonly OutboxItem[])[] = [];
  const asked: string[] = [];
  const store = {
    byId: async () => null,
    commit: async (writes: readonly Record<string, unknown>[]) =>
      writes.map((write) => {
        const { outbox } = Object(write.document ?? Object(write.change).$set);
        if (write.deferrable === undefined) committed.push(outbox ?? []);
        return { ok: true };
      }),
  };
  const ids = { derive: (...parts: readonly string[]) => parts.join(':'), fresh: () => 'x' };
  const relay = { numbered: (items: readonly unknown[]) => items, publish: async () => false };
  const isHearing = async (_: string, event: string) => {
    asked.push(event);
    return heard.includes(event);
  };
  const bus = { ask: async () => ({ status: 200, body: '{"tags":[]}' }) };
  const environment = { store, ids, bus, clock: new ManualClock(), log: SILENT, live: UNHEARD };
  const parts = { environment, relay, audience: { isHearing } };
  const contact = new ContactActor('ctc_1', parts as never);
  const context = { deadline: 0, repeat: false, epoch: 1 };
  const known = { orgId: 'org_1', phone: '5511912345678', source: 'api', origin: 'api' };
  const turn = (command: object) =>
    contact.turn({ ...known, ...command } as CommandOf<'contact'>, context);
  return { turn, committed, asked };
}

function told(items: readonly OutboxItem[] | undefined) {
  return (items ?? []).flatMap((item) =>
    item.type === 'event' ? [[item.event, item.data.changed ?? null, item.data.origin]] : [],
  );
}

const ALL = ['contact.created', 'contact.updated'];

test('the first commit tells of the contact, later ones of what they change', async () => {
  const { turn, committed } = contactOf(ALL);
  await turn({ id: 'cmd_1', type: 'ensure', profileName: null, origin: 'contact' });
  assert.deepEqual(told(committed[0]), [['contact.created', null, 'contact']]);
  await turn({ id: 'cmd_2', type: 'upsert', name: 'Ana', email: 'ana@example.com' });
  const named = ['contact.updated', ['name', 'email'], 'api'];
  // What is not published yet stays in the outbox.
  assert.deepEqual(told(committed[1]).slice(1), [named]);
  await turn({ id: 'cmd_3', type: 'upsert', name: 'Ana' });
  assert.deepEqual(told(committed[2]).slice(1), [named], 'a repeat changes nothing');
  await turn({ id: 'cmd_4', type: 'opt', optIn: false, origin: 'contact' });
  const [, , ...last] = told(committed[3]);
  const out = ['contact.updated', ['optIn'], 'contact'];
  assert.deepEqual(last, [out, ['contact.opt_out', null, 'contact']]);
});

test('where nobody hears it no outbox is written', async () => {
  const { turn, committed, asked } = contactOf([]);
  await turn({ id: 'cmd_1', type: 'ensure', profileName: null });
  await turn({ id: 'cmd_2', type: 'upsert', name: 'Ana' });
  assert.deepEqual(committed.map(told), [[], []]);
  assert.deepEqual(asked, ALL);
});

test('a contact that is on record is ensured without a question', async () => {
  const { turn, committed, asked } = contactOf(ALL);
  await turn({ id: 'cmd_1', type: 'ensure', profileName: null });
  await turn({ id: 'cmd_2', type: 'ensure', profileName: null });
  assert.deepEqual([committed.length, asked.length], [1, 1]);
});
