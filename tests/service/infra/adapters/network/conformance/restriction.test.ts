/** A restriction of new conversations: the channel stays ready, replies to known chats go on. */
import assert from 'node:assert/strict';
import { freshPhone } from '../../../../../support/api.ts';
import type { Fixture } from './fixture.ts';
import { conformance, rowsFor } from './table.ts';
import { WEB_ENGINES } from './target.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Sooner than that a held message would have gone. */
const WATCH_MS = 4_000;

/** The contact of the fixture has written; others never have. */
async function restricted(fixture: Fixture, request: object): Promise<void> {
  await fixture.inbound({ text: 'oi' });
  await fixture.control('/restriction', { session: fixture.org.session, ...request });
}

async function restrictionOf(fixture: Fixture): Promise<{ until: string | null } | undefined> {
  const channel = (await fixture.channel()) as { restriction?: { until: string | null } };
  return channel.restriction;
}

/** The first cold message meets the restriction. */
async function meetsIt(fixture: Fixture): Promise<void> {
  const first = await fixture.send(fixture.text('fria'), freshPhone());
  const { error } = await fixture.reaches(first, 'failed');
  assert.equal(error?.code, '463');
}

async function holdsFirstContacts(fixture: Fixture): Promise<void> {
  const text = fixture.text('espera');
  const held = await fixture.send(text, freshPhone());
  await fixture.reaches(await fixture.send(fixture.text('resposta')), 'read');
  const startedAt = performance.now();
  await fixture.until('a wait', () => performance.now() - startedAt > WATCH_MS);
  assert.equal((await fixture.message(held))?.status, 'queued');
  assert.equal((await fixture.accepted(text)).length, 0);
  const { ready, reason } = await fixture.channel();
  assert.deepEqual([ready, reason], [true, null]);
}

const web = rowsFor(WEB_ENGINES);
const lidEngines = rowsFor(['noweb', 'gows']);

conformance('a restriction of new conversations', [
  web.during(
    'restriction: the message that meets it fails with 463, first contacts are held',
    async (fixture) => {
      await restricted(fixture, { until: null, told: false });
      await meetsIt(fixture);
      await holdsFirstContacts(fixture);
      assert.equal((await restrictionOf(fixture))?.until, null);
    },
  ),
  lidEngines.before('restriction: the session tells it, with its end', async (fixture) => {
    const until = Math.floor((Date.now() + HOUR_MS) / 1000) * 1000;
    await restricted(fixture, { until, told: true });
    const shown = await fixture.until('it is shown', () => restrictionOf(fixture));
    assert.equal(Date.parse(shown.until ?? ''), until);
    await holdsFirstContacts(fixture);
  }),
  lidEngines.after('restriction: with its end, what was held goes, once', async (fixture) => {
    const until = Date.now() + HOUR_MS;
    await restricted(fixture, { until, told: true });
    await fixture.until('it is shown', () => restrictionOf(fixture));
    const text = fixture.text('livre');
    const held = await fixture.send(text, freshPhone());
    await fixture.control('/restriction', { session: fixture.org.session, active: false });
    await fixture.reaches(held, 'read');
    assert.equal((await fixture.accepted(text)).length, 1);
    assert.equal(await restrictionOf(fixture), undefined);
  }),
  web.before('restriction: a contact who writes is a first contact no more', async (fixture) => {
    await restricted(fixture, { until: null, told: false });
    await meetsIt(fixture);
    const stranger = freshPhone();
    const held = await fixture.send(fixture.text('ainda não'), stranger);
    await fixture.inbound({ from: stranger, text: 'pode falar' });
    await fixture.reaches(held, 'read');
  }),
]);
