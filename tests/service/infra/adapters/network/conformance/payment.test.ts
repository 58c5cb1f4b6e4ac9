/** An account that owes its network: the channel stays ready, and what is free goes on. */
import assert from 'node:assert/strict';
import { freshPhone } from '../../../../../support/api.ts';
import type { Fixture } from './fixture.ts';
import { conformance, rowsFor } from './table.ts';

/** Sooner than that a held message would have gone. */
const WATCH_MS = 4_000;

/** The contact of the fixture has written; a message to another one meets the problem. */
async function owing(fixture: Fixture, request: object = {}) {
  await fixture.inbound({ text: 'oi' });
  await fixture.control('/payment', { ...fixture.number, ...request });
  const held = await fixture.send(fixture.text('fora da janela'), freshPhone());
  const isShown = async () =>
    /pagamento/.test((await fixture.channel()).restriction?.message ?? '');
  await fixture.until('the problem is shown', isShown);
  return held;
}

async function holdsOnlyWhatIsBilled(fixture: Fixture): Promise<void> {
  const text = fixture.text('também fora');
  const held = await fixture.send(text, freshPhone());
  await fixture.reaches(await fixture.send(fixture.text('resposta')), 'read');
  const startedAt = performance.now();
  await fixture.until('a wait', () => performance.now() - startedAt > WATCH_MS);
  assert.equal((await fixture.message(held))?.status, 'queued');
  assert.equal((await fixture.accepted(text)).length, 0);
  const { ready, reason, restriction } = await fixture.channel();
  assert.deepEqual([ready, reason, restriction?.until], [true, null, null]);
}

const cloud = rowsFor(['cloud']);

conformance('an account that owes its network', [
  cloud.during(
    'payment: replies go, the rest waits until a probe finds it paid',
    async (fixture) => {
      const held = await owing(fixture);
      await holdsOnlyWhatIsBilled(fixture);
      await fixture.control('/payment', { ...fixture.number, owes: false });
      await fixture.reaches(held, 'read');
      assert.equal((await fixture.accepted(fixture.text('fora da janela'))).length, 1);
      const isGone = async () => (await fixture.channel()).restriction === undefined;
      await fixture.until('it is shown no more', isGone);
    },
  ),
  cloud.after('payment: a status tells it, and the channel stays ready', async (fixture) => {
    const failed = await owing(fixture, { refusesBy: 'status' });
    const { error } = await fixture.reaches(failed, 'failed');
    assert.equal(error?.code, '131042');
    await holdsOnlyWhatIsBilled(fixture);
  }),
  cloud.before('payment: a contact who writes opens the window', async (fixture) => {
    await owing(fixture);
    const phone = freshPhone();
    const held = await fixture.send(fixture.text('ainda não'), phone);
    await fixture.inbound({ from: phone, text: 'pode falar' });
    await fixture.reaches(held, 'read');
  }),
]);
