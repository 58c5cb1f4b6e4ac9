/** Reminder mails (C4.17.1, D28), by a real SMTP server. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { crmFixtureOf, TEAM } from '../../../support/api/crm-fixture.ts';
import { killHard } from '../../../support/kills.ts';
import { startStack } from '../../../support/stack.ts';
import { useOrganizations, useStack, useUntil } from '../../../support/stack-hooks.ts';
import { startMailServer } from '../../../support/stand-ins/mail-server.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const ZONE_OFFSET_MS = 3 * 3_600_000;

/** A day and time in São Paulo, so many minutes from now. */
function local(minutes: number): { dueOn: string; dueTime: string } {
  const at = new Date(Date.now() - ZONE_OFFSET_MS + minutes * 60_000).toISOString();
  return { dueOn: at.slice(0, 10), dueTime: at.slice(11, 16) };
}

describe('with SMTP_URL', () => {
  const mailServer = useUntil(startMailServer, ({ close }) => close());
  const stack = useStack(() => {
    const settings = { SMTP_URL: mailServer.url, MAIL_FROM: 'Recado <recado@loja.example>' };
    return startStack({ settings });
  });
  const { a: org } = useOrganizations(stack, { a: TEAM });
  const a = crmFixtureOf(stack, org);

  const about = (title: string) => mailServer.posts.filter(({ raw }) => raw.includes(title));
  const until = (title: string) => waitUntil(`a mail about ${title}`, () => about(title)[0]);

  test('the assignee is reminded once, from MAIL_FROM, also over a crash of the actors', async () => {
    const { id } = await a.contact('Maria');
    const body = { title: 'Tarefa-um', notes: 'Linha dois', contactId: id, ...local(-1) };
    await a.task({ ...body, assigneeId: a.member('ana') });
    const { to, raw } = await until('Tarefa-um');
    assert.deepEqual(to, ['ana@example.com']);
    assert.match(raw, /^From: Recado <recado@loja\.example>$/m);
    assert.match(raw, /^Subject: Lembrete: Tarefa-um$/m);
    assert.match(raw, /^Message-ID: <rem_\w+@loja\.example>$/m);
    assert.match(raw, /Maria/);
    assert.match(raw, /Linha dois/);
    await killHard(stack, 'actors');
    await a.task({ title: 'Tarefa-dois', ...local(-1), assigneeId: a.member('bia') });
    await until('Tarefa-dois');
    assert.equal(about('Tarefa-um').length, 1);
  });

  test('done, moved, without assignee, without e-mail or too old: no mail and no error', async () => {
    const assigneeId = a.member('ana');
    // Long enough to change the tasks before they are due.
    const soon = local(Date.now() % 60_000 < 50_000 ? 1 : 2);
    const done = await a.task({ title: 'Nunca-feita', ...soon, assigneeId });
    await a.changeTask(done.id, { done: true });
    const moved = await a.task({ title: 'Nunca-mudada', ...soon, assigneeId });
    await a.changeTask(moved.id, { dueOn: '2099-01-01' });
    const other = await a.task({ title: 'Outra-pessoa', ...soon, assigneeId });
    await a.changeTask(other.id, { assigneeId: a.member('bia') });
    await a.task({ title: 'Nunca-minha', ...soon });
    await a.task({ title: 'Nunca-muda', ...soon, assigneeId: a.member('mute') });
    await a.task({ title: 'Nunca-velha', ...local(-24 * 60 - 1), assigneeId });
    const { to } = await until('Outra-pessoa');
    assert.deepEqual(to, ['bia@example.com']);
    await a.task({ title: 'Depois-de-todas', ...local(-1), assigneeId });
    await until('Depois-de-todas');
    assert.deepEqual(about('Nunca'), []);
    assert.equal(about('Outra-pessoa').length, 1);
  });

  test('a server that says not now is asked again, under the same Message-ID', async () => {
    mailServer.refusals.push(451);
    await a.task({ title: 'Teimosa', ...local(-1), assigneeId: a.member('ana') });
    await waitUntil('the refusal', () => mailServer.refusals.length === 0);
    assert.deepEqual(about('Teimosa'), []);
    await until('Teimosa');
    assert.equal(about('Teimosa').length, 1);
  });
});

describe('without SMTP_URL', () => {
  const stack = useStack();
  const { a: org } = useOrganizations(stack, { a: TEAM });
  const a = crmFixtureOf(stack, org);

  test('mails are written to DATA_DIR/mail/*.eml, one each', async () => {
    const folder = join(stack.dataDir, 'mail');
    const all = () => (existsSync(folder) ? readdirSync(folder) : []);
    const before = new Set(all());
    const mails = () => all().filter((name) => !before.has(name));
    const assigneeId = a.member('ana');
    await a.task({ title: 'Ação — número 1\nBcc: x@example.com', ...local(-1), assigneeId });
    await a.task({ title: 'Segunda', ...local(-2), assigneeId });
    const names = await waitUntil('two mails', () => {
      const complete = mails().filter((name) => name.endsWith('.eml'));
      return complete.length === 2 ? complete : null;
    });
    for (const name of names) {
      const mail = readFileSync(join(folder, name), 'utf8');
      assert.match(name, /^rem_\w+\.eml$/);
      assert.match(mail, /^From: recado@localhost\r$/m);
      assert.match(mail, /^To: Ana Souza <ana@example\.com>\r$/m);
      assert.doesNotMatch(mail.split('\r\n\r\n')[0] ?? '', /^Bcc:/im);
    }
  });
});
