/** Sends in doubt: found, or repeated as often as that is safe, with a bounded end. */
import assert from 'node:assert/strict';
import type { ControlRequest, Fixture } from './fixture.ts';
import { conformance, rowsFor } from './table.ts';
import { OWN_ID_ENGINES, WEB_ENGINES } from './target.ts';

const OLD_VERSION = '2026.4.1';

/** The message is in doubt by this fault; in the end the network has it once. */
async function isThereOnce(fixture: Fixture, fault: ControlRequest): Promise<void> {
  await fixture.fault({ ...fault, times: 1 });
  const text = fixture.text('em dúvida');
  const next = fixture.text('seguinte');
  const doubtful = await fixture.send(text);
  const after = await fixture.send(next);
  await fixture.reaches(doubtful, 'read');
  await fixture.reaches(after, 'read');
  const taken = (await fixture.stack.network.sent()).filter((each) =>
    [text, next].includes(each.text ?? ''),
  );
  assert.deepEqual(
    taken.map((each) => each.text),
    [text, next],
    'once, and in order',
  );
  const history = await fixture.history();
  assert.equal(history.length, 2, 'its own echo is no second message');
  assert.equal((await fixture.channel()).ready, true);
}

/** The network has none of it, and no look-up finds an answer: one repeat, then the end. */
async function endsUnconfirmed(fixture: Fixture): Promise<void> {
  // A third try would be taken, and be seen.
  await fixture.fault({ loseRequest: true, times: 2 });
  const text = fixture.text('sem notícia');
  const message = await fixture.reaches(await fixture.send(text), 'failed', 'read');
  assert.equal(message.error?.code, 'unconfirmed');
  assert.equal((await fixture.accepted(text)).length, 0, 'it was repeated once');
}

const every = rowsFor();
const web = rowsFor(WEB_ENGINES);
const older = rowsFor(OWN_ID_ENGINES, OLD_VERSION);
const webjs = rowsFor(['webjs']);
const cloud = rowsFor(['cloud']);

conformance('a send in doubt', [
  every.during('found: the answer is lost after the network took it', (fixture) =>
    isThereOnce(fixture, { loseAnswer: true }),
  ),
  web.during('found: a 500 after the network took it', (fixture) =>
    isThereOnce(fixture, { status: 500, acceptFirst: true }),
  ),
  cloud.during('found: a 500 with 131000 after the network took it', (fixture) =>
    isThereOnce(fixture, { status: 500, code: 131000, acceptFirst: true }),
  ),
  cloud.during('found: a page of a proxy after the network took it', (fixture) =>
    isThereOnce(fixture, { status: 502, proxy: true, acceptFirst: true }),
  ),
  cloud.before('sent once: a page of a proxy before the network took it', (fixture) =>
    isThereOnce(fixture, { status: 504, proxy: true }),
  ),
  web.during('found: a 201 with an empty body', (fixture) =>
    isThereOnce(fixture, { emptyAnswer: true }),
  ),
  every.before('sent once: the request is lost before the network took it', (fixture) =>
    isThereOnce(fixture, { loseRequest: true }),
  ),
  web.before('sent once: a 500 before the network took it', (fixture) =>
    isThereOnce(fixture, { status: 500 }),
  ),
  older.before('sent once: the request is lost, on a version without own ids', (fixture) =>
    isThereOnce(fixture, { loseRequest: true }),
  ),
  older.during('found: the answer is lost, on a version without own ids', (fixture) =>
    isThereOnce(fixture, { loseAnswer: true }),
  ),
  webjs.before('in doubt: no look-up can tell, repeated once, then unconfirmed', endsUnconfirmed),
  older.before('in doubt: no look-up can tell, on a version without own ids', endsUnconfirmed),
  web.during(
    'held: the look-up does not answer, so nothing is repeated until it does',
    async (fixture) => {
      await fixture.fault({ lookups: true, status: 500 });
      await fixture.fault({ loseAnswer: true, times: 1 });
      const text = fixture.text('sem consulta');
      const sent = await fixture.send(text);
      await fixture.until(
        'the message is under way',
        async () => (await fixture.accepted(text)).length,
      );
      // Longer than the wait for a status, after which a blind repeat would come.
      const startedAt = performance.now();
      await fixture.until('15 s', () => performance.now() - startedAt > 15_000);
      assert.equal((await fixture.accepted(text)).length, 1);
      await fixture.fault({ lookups: true });
      await fixture.reaches(sent, 'sent', 'delivered', 'read');
      assert.equal((await fixture.accepted(text)).length, 1);
    },
  ),
  web.before('sent once: the same text before it is not taken for it', async (fixture) => {
    const text = fixture.text('igual');
    await fixture.reaches(await fixture.send(text), 'read');
    await fixture.fault({ loseRequest: true, times: 1 });
    await fixture.reaches(await fixture.send(text), 'read');
    assert.equal((await fixture.accepted(text)).length, 2);
  }),
]);
