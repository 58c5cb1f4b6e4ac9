/** Sends that the network accepts, refuses or delays: each ends as the network has decided. */
import assert from 'node:assert/strict';
import { pluck, pluckRows } from '../../../../../support/pluck.ts';
import type { Fixture } from './fixture.ts';
import { conformance, rowsFor } from './table.ts';
import { OWN_ID_ENGINES, WEB_ENGINES } from './target.ts';

const CANONICAL = { web: /^[0-9A-F]{16,}$/, cloud: /^wamid\./ };
const ANSWER_MS = 4_000;
/** Longer than until the next readiness probe, which does not cut the wait short. */
const WATCH_MS = 14_000;

async function isSentOnce(fixture: Fixture): Promise<void> {
  const texts = ['um', 'dois', 'três'].map((word) => fixture.text(word));
  const sent = [];
  for (const text of texts) sent.push(await fixture.send(text));
  for (const each of sent) await fixture.reaches(each, 'read');
  const taken = (await fixture.stack.network.sent()).filter(({ text }) =>
    texts.includes(text ?? ''),
  );
  assert.deepEqual(pluck(taken, 'text'), texts);
  const history = await fixture.history();
  assert.deepEqual(
    pluckRows(history, 'text', 'direction'),
    texts.map((text) => [text, 'out']),
  );
  const form = fixture.engine === 'cloud' ? CANONICAL.cloud : CANONICAL.web;
  for (const { externalId } of history) assert.match(externalId ?? '', form);
}

/** Nothing of it reaches the network, and the number goes on. */
async function isRefused(fixture: Fixture, code: RegExp): Promise<void> {
  const refused = await fixture.send(fixture.text('recusada'));
  const { error } = await fixture.reaches(refused, 'failed');
  assert.match(error?.code ?? '', code);
  assert.match(error?.message ?? '', /^\p{Lu}.+\.$/u, 'a sentence');
  await fixture.reaches(await fixture.send(fixture.text('seguinte')), 'read');
  assert.equal((await fixture.accepted(fixture.text('recusada'))).length, 0, 'it was not repeated');
  assert.equal((await fixture.channel()).ready, true);
}

const every = rowsFor();
const web = rowsFor(WEB_ENGINES);
const cloud = rowsFor(['cloud']);
const ownIds = rowsFor(OWN_ID_ENGINES);

conformance('a send that the network judges', [
  every.after('sent once, in order, under its canonical id', isSentOnce),
  web.before('refused: the network does not know the contact', async (fixture) => {
    const message = `no LID found for ${fixture.phone}@s.whatsapp.net from server`;
    await fixture.fault({ status: 500, message, times: 1 });
    await isRefused(fixture, /^\S+$/);
  }),
  cloud.before('refused: a code about this message', async (fixture) => {
    await fixture.fault({ status: 400, code: 131026, times: 1 });
    await isRefused(fixture, /^131026$/);
  }),
  ownIds.before('refused: the bridge has no such call (422 without a state)', async (fixture) => {
    await fixture.fault({ unsupported: true, times: 1 });
    const sent = await fixture.send(fixture.text('sem chamada'));
    await fixture.reaches(sent, 'failed', 'read');
    assert.equal((await fixture.channel()).ready, true, 'the session was never stopped');
  }),
  every.after('refused: the network says so after it took it', async (fixture) => {
    await fixture.fault({ failReceiptCode: 131026, times: 1 });
    const sent = await fixture.send(fixture.text('falha depois'));
    await fixture.reaches(sent, 'failed');
    assert.equal((await fixture.accepted(fixture.text('falha depois'))).length, 1);
  }),
  web.before('held: the session stops at the send', async (fixture) => {
    await fixture.fault({ status: 422, times: 1 });
    const text = fixture.text('adiada');
    await fixture.reaches(await fixture.send(text), 'read');
    assert.equal((await fixture.accepted(text)).length, 1);
  }),
  cloud.before('held: a throttle of the number', async (fixture) => {
    await fixture.fault({ status: 429, code: 130429, times: 2 });
    const text = fixture.text('adiada');
    await fixture.reaches(await fixture.send(text), 'read');
    assert.equal((await fixture.accepted(text)).length, 1);
  }),
  cloud.before('held: an account-wide limit fails none of its queue', async (fixture) => {
    // A second try within the wait would be taken, and be seen. The answer is late enough for
    // the others to be accepted before the limit is known.
    await fixture.fault({ status: 400, code: 131048, delayMs: ANSWER_MS, times: 1 });
    const texts = ['um', 'dois', 'três'].map((word) => fixture.text(word));
    const sent = await Promise.all(texts.map((text) => fixture.send(text)));
    await fixture.until('the limit is known', async () => !(await fixture.channel()).ready);
    const startedAt = performance.now();
    await fixture.until('a wait', () => performance.now() - startedAt > WATCH_MS);
    const messages = await Promise.all(sent.map((each) => fixture.message(each)));
    const statuses = messages.map((message) => message?.status);
    assert.ok(
      statuses.every((status) => status === 'queued'),
      `${statuses}`,
    );
    for (const text of texts) assert.equal((await fixture.accepted(text)).length, 0);
  }),
]);
