/** An invitation: a mailed link, a link to copy, and whether a mail has left (D318). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as v from 'valibot';
import { sendInvitation } from '../../../../actors/queries/send-invitation.ts';
import { ASK_DEADLINE_MS, INVITATION_LINK_MS } from '../../../../shared/limits.ts';
import { EMAIL, ids, PersonFixture } from './person-fixture.ts';

const SentSchema = v.object({ url: v.string(), expiresAt: v.string(), mailed: v.boolean() });
const SEED = 'seed-of-the-asker';

async function invited(fixture: PersonFixture, seed = SEED) {
  const query = { orgId: 'a', memberId: 'mbr_a', inviter: 'Ana\u202e', seed };
  const { status, body } = await sendInvitation(fixture.environment, query);
  assert.equal(status, 200, body);
  return v.parse(SentSchema, JSON.parse(body));
}

/** Digest of a link's secret. */
const digestIn = (text: string) => ids.digest(/entrar#\w+\.([\w-]+)/.exec(text)?.[1] ?? '');

it('names the organization and the inviter, and its two links prove different things', async () => {
  const fixture = new PersonFixture();
  fixture.member('a');
  const { url, expiresAt, mailed } = await invited(fixture);
  assert.equal(mailed, true);
  assert.equal(Date.parse(expiresAt), fixture.clock.now() + INVITATION_LINK_MS);
  const [mail] = fixture.mails;
  assert.equal(mail?.to.address, EMAIL);
  assert.match(mail?.subject ?? '', /Org a/);
  assert.match(mail?.text ?? '', /^Ana convidou você para a equipe de Org a\.$/m);
  const byMail = digestIn(mail?.text ?? '');
  assert.notEqual(byMail, digestIn(url), 'the admin’s is another one');
  fixture.clock.advance(INVITATION_LINK_MS - 1);
  assert.equal((await fixture.useLink(digestIn(url)))?.way, 'link');
  assert.equal(await fixture.useLink(byMail), null, 'one use ends both');
});

it('by mail proves the mailbox, and signs in to its organization', async () => {
  const fixture = new PersonFixture();
  fixture.member('a');
  fixture.member('b');
  await invited(fixture);
  const signedIn = await fixture.useLink(digestIn(fixture.mails[0]?.text ?? ''));
  assert.deepEqual([signedIn?.way, signedIn?.offersPassphrase], ['mail', true]);
  assert.deepEqual(signedIn?.memberships, [{ orgId: 'a' }]);
});

it('says so where no mail is set up, and where it failed', async () => {
  const folder = new PersonFixture();
  folder.reachesMailboxes = false;
  const failing = new PersonFixture();
  failing.outcome = { outcome: 'later', reason: 'busy' };
  for (const fixture of [folder, failing]) {
    fixture.member('a');
    const { url, mailed } = await invited(fixture);
    assert.equal(mailed, false);
    assert.ok(await fixture.useLink(digestIn(url)));
  }
});

it('waits for a slow mail server no longer than its asker does', async () => {
  const fixture = new PersonFixture();
  fixture.member('a');
  const asked = Promise.withResolvers<void>();
  fixture.whenMailed = () => {
    asked.resolve();
    return Promise.withResolvers<void>().promise;
  };
  const sending = invited(fixture);
  await asked.promise;
  fixture.clock.advance(ASK_DEADLINE_MS / 2);
  assert.equal((await sending).mailed, false);
});

it('needs a member with an e-mail', async () => {
  const fixture = new PersonFixture();
  fixture.member('a', { disabledAt: 1 });
  const query = { orgId: 'a', memberId: 'mbr_a', inviter: 'Ana', seed: SEED };
  assert.equal((await sendInvitation(fixture.environment, query)).status, 404);
});
