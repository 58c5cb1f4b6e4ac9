/** Signing in to the panel (docs/security.md, people). */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { GUESSES_BURST } from '../../../../shared/limits.ts';
import { assertStatus, parseAnswer } from '../../../support/api/answers.ts';
import { type Browser, SignedInSchema, tokenOf } from '../../../support/gateway/panel/browser.ts';
import {
  PASSPHRASE,
  panel,
  rows,
  startPanel,
} from '../../../support/gateway/panel/people-fixture.ts';
import { waitFor, waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

describe('signing in', () => {
  test('a link signs in once', async () => {
    const token = tokenOf(await panel().linkOf('ana'));
    const browser = panel().browserElsewhere();
    const entered = await browser.call('POST', '/panel/api/link', { body: { token } });
    const { data } = parseAnswer(entered, SignedInSchema);
    assert.equal(data.session?.role, 'admin');
    assert.equal(data.session?.organization?.id, panel().shop.id);
    assert.equal(data.passphrase, 'unset');
    assert.equal((await browser.call('GET', '/api/v1/conversations')).status, 200);
    const answer = await panel()
      .browserElsewhere()
      .call('POST', '/panel/api/link', { body: { token } });
    assertStatus(answer, 401);
  });

  test('the cookie is for this installation, this page and no script', async () => {
    const body = { token: tokenOf(await panel().linkOf('ana')) };
    const { headers } = await panel().browserElsewhere().call('POST', '/panel/api/link', { body });
    const [cookie = ''] = headers.getSetCookie();
    assert.match(
      cookie,
      /^recado_session_\w{8}=org_\w+\.[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'self';/);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  });

  test('a passphrase signs in, in any organization of the e-mail', async () => {
    const browser = await panel().signedInByMail('duda@example.com');
    const set = { body: { passphrase: PASSPHRASE } };
    assert.equal((await browser.call('POST', '/panel/api/passphrase', set)).status, 200);
    const fresh = panel().browserElsewhere();
    const body = { email: ' DUDA@example.com', passphrase: PASSPHRASE };
    const answer = await fresh.call('POST', '/panel/api/sign-in', { body });
    const { data } = parseAnswer(answer, SignedInSchema);
    assert.equal(data.session, null);
    assert.deepEqual(data.choices.map((each) => each.role).sort(), ['admin', 'attendant']);
    const chosen = { ticket: data.ticket, organizationId: panel().other.id };
    assertStatus(await fresh.call('POST', '/panel/api/sessions', { body: chosen }), 201);
    assert.equal((await rows(fresh, '/panel/api/members'))[0]?.name, 'Eve');
    const authorIn = async (admin: Browser) => {
      const log = await rows(admin, '/panel/api/audit?limit=200');
      const entry = log.find(({ operation }) => operation === 'setPassphrase');
      return [entry?.name, entry?.role];
    };
    assert.deepEqual(await authorIn(await panel().signedInAs('ana')), ['Duda', 'attendant']);
    assert.deepEqual(await authorIn(fresh), ['Eve', 'admin'], 'as the own member of each');
  });

  test('a new passphrase ends the other sessions of the person', async () => {
    // By mail: the person may have a passphrase by then, which another file has set.
    const first = await panel().signedInByMail('caio@example.com');
    const second = await panel().signedInAs('caio');
    const set = { body: { passphrase: PASSPHRASE } };
    assert.equal((await first.call('POST', '/panel/api/passphrase', set)).status, 200);
    assert.equal((await first.call('GET', '/panel/api/session')).status, 200);
    assert.equal((await second.call('GET', '/panel/api/session')).status, 401);
  });

  test('guesses are slowed, and the account is not locked', async () => {
    const guess = (browser: Browser, passphrase: string) => {
      const body = { email: 'duda@example.com', passphrase };
      return browser.call('POST', '/panel/api/sign-in', { body });
    };
    const right = (browser: Browser) =>
      waitUntil('an answer to the right guess', async () => {
        const { status } = await guess(browser, PASSPHRASE);
        return status < 500 && status;
      });
    const known = panel().browserElsewhere();
    assert.equal(await right(known), 200);
    const statuses: number[] = [];
    const guesser = panel().browserElsewhere();
    // Beside each other: a slow machine hashes one for longer than it takes to earn the next.
    const guessing = async (): Promise<void> => {
      while (!statuses.includes(429)) {
        const { status, headers } = await guess(guesser, `errada ${statuses.length}`);
        statuses.push(status);
        if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
      }
    };
    await Promise.all(Array.from({ length: 2 * GUESSES_BURST }, guessing));
    const answered = new Set(statuses.filter((status) => status < 500));
    assert.deepEqual([...answered].sort(), [401, 429]);
    // Unknown addresses share the burst, and two right guesses took one each.
    const counted = statuses.filter((status) => status !== 429).length;
    assert.ok(counted >= GUESSES_BURST - 2, statuses.join());
    assert.equal(await right(known), 200, 'a known address is not slowed');
    await panel().signedInAs('duda');
    const missing = { email: 'nobody@example.com', passphrase: PASSPHRASE };
    const answer = await panel()
      .browserElsewhere()
      .call('POST', '/panel/api/sign-in', { body: missing });
    assertStatus(answer, 401);
  });

  test('a mailed link is answered alike for every e-mail, and mailed three times an hour', async () => {
    const folder = join(panel().stack.dataDir, 'mail');
    const bodies: string[] = [];
    for (const email of ['bia@example.com', 'nobody@example.com']) {
      for (let asked = 0; asked < 4; asked++) {
        const call = { body: { email } };
        const answer = await panel()
          .browserElsewhere()
          .call('POST', '/panel/api/link-requests', call);
        bodies.push(`${answer.status} ${answer.text}`);
      }
    }
    assert.deepEqual([...new Set(bodies)], ['202 {"data":{}}']);
    // Other files' people are mailed into the same folder.
    const mailed = () =>
      (existsSync(folder) ? readdirSync(folder).sort() : [])
        .filter((name) => name.endsWith('.eml'))
        .map((name) => readFileSync(join(folder, name), 'utf8').replace(/=\r?\n/g, ''))
        .filter((mail) => /^To: .*bia@example\.com/im.test(mail));
    await waitFor(() => mailed().length >= 3, { what: 'three mails' });
    const mails = mailed();
    assert.equal(mails.length, 3);
    const text = mails.at(-1) ?? '';
    const token = /entrar#([\w.=-]+)/.exec(text)?.[1]?.replaceAll('=3D', '=') ?? '';
    const answer = await panel()
      .browserElsewhere()
      .call('POST', '/panel/api/link', { body: { token } });
    assert.equal(answer.status, 200, `${answer.text} ${text}`);
  });
});
