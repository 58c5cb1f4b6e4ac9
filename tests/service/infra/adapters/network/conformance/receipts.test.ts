/** Receipts and echoes: each moves its own message, once, however the network spells its chat. */
import assert from 'node:assert/strict';
import type { Fixture } from './fixture.ts';
import { conformance, rowsFor } from './table.ts';
import { WEB_ENGINES } from './target.ts';

const LATE_MS = 2_500;

async function isRead(fixture: Fixture, words: string): Promise<void> {
  const text = fixture.text(words);
  const message = await fixture.reaches(await fixture.send(text), 'read');
  const { sent, delivered, read } = message.receipts;
  assert.ok(sent !== null && delivered !== null && read !== null);
  assert.ok(sent <= delivered && delivered <= read);
  assert.equal((await fixture.history()).filter((each) => each.text === text).length, 1);
}

/** Written twice by the contact under both forms of the chat, so that the bridge uses either. */
async function withHiddenId(fixture: Fixture): Promise<string> {
  const lid = `${fixture.phone.slice(2)}0@lid`;
  await fixture.inbound({ from: lid, phoneKnown: fixture.phone, text: 'oi' });
  return lid;
}

const every = rowsFor();
const web = rowsFor(WEB_ENGINES);

conformance('receipts and echoes', [
  every.after('receipts: sent, delivered, read', (fixture) => isRead(fixture, 'recibos')),
  every.after('receipts: each of them twice', async (fixture) => {
    await fixture.fault({ duplicateReceipts: true, times: 1 });
    await isRead(fixture, 'em dobro');
  }),
  every.before('receipts: they come before the answer', async (fixture) => {
    await fixture.fault({ delayMs: LATE_MS, times: 1 });
    await isRead(fixture, 'adiantados');
  }),
  web.after('receipts: under the hidden form of the chat', async (fixture) => {
    await withHiddenId(fixture);
    await isRead(fixture, 'chat oculto');
  }),
  every.alone('echoes: typed on the phone, there once and under its chat', async (fixture) => {
    const text = fixture.text('do celular');
    const id = await fixture.inbound({ text, echo: true });
    await fixture.inbound({ text, echo: true, id });
    const history = await fixture.until('the echo is there', async () => {
      const found = await fixture.history();
      return found.length > 0 && found;
    });
    assert.deepEqual(
      history.map((each) => [each.text, each.direction]),
      [[text, 'out']],
    );
  }),
  web.after('echoes: our own reaction is none', async (fixture) => {
    await fixture.inbound({ text: 'oi' });
    const [written] = await fixture.history();
    const reaction = { messageId: written?.id, emoji: '👍' };
    const sent = await fixture.stack.send(fixture.key, { phone: fixture.phone, reaction });
    await fixture.reaches(sent, 'sent');
    // The bridge reports a chat's events in order: the reaction's come before these receipts.
    await fixture.reaches(await fixture.send(fixture.text('depois')), 'read');
    assert.equal((await fixture.history()).length, 3);
    const [conversation] = await fixture.conversations();
    assert.equal(conversation?.paused, false);
  }),
  web.during('echoes: our own message is none, after a restart of the bridge', async (fixture) => {
    const { session } = fixture.org;
    await fixture.fault({ loseAnswer: true, times: 1 });
    const text = fixture.text('reinício');
    const sent = await fixture.send(text);
    await fixture.until('the network has it', async () => (await fixture.accepted(text)).length);
    await fixture.control('/restart', { session, repeat: 5 });
    await fixture.reaches(sent, 'sent', 'delivered', 'read');
    assert.equal((await fixture.accepted(text)).length, 1, 'it was not sent again');
    assert.equal((await fixture.history()).length, 1, 'nor is it there as typed on the phone');
  }),
]);
