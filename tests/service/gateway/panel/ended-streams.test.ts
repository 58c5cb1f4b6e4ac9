/** An ended session has no stream left on any process when the command has returned. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { loggedLines } from '../../../../infra/adapters/log/logged-lines.ts';
import { LOG_EVENT } from '../../../../shared/log-events.ts';
import { assertStatus } from '../../../support/api/answers.ts';
import { Browser } from '../../../support/gateway/panel/browser.ts';
import { PASSPHRASE, panel, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { type SecondPanel, startSecondPanel } from '../../../support/second-gateway.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { type OpenPage, openPage } from './open-page.ts';

before(startPanel);

const SessionSchema = v.object({ data: v.looseObject({ id: v.string() }) });

describe('the streams of an ended session', () => {
  let second: SecondPanel;
  const pages: OpenPage[] = [];

  before(async () => {
    second = await startSecondPanel(panel().stack);
  });
  after(async () => {
    for (const page of pages) page.close();
    await second?.stop();
  });

  /** The session's streams on a process of the stack, and on the second one. */
  async function openOnBoth(browser: Browser, organization?: string) {
    const urls = [panel().url, second.url];
    const looking = organization === undefined ? {} : { organization };
    const opened = await Promise.all(
      urls.map((url) => openPage(url, { cookie: browser.cookie, ...looking })),
    );
    pages.push(...opened);
    await waitUntil('the streams', () => opened.every(({ resyncs }) => resyncs > 0) || null);
    const [here, there] = opened;
    assert.ok(here && there);
    return { here, there, cookie: browser.cookie };
  }

  async function assertEnded({ here, there, cookie }: Awaited<ReturnType<typeof openOnBoth>>) {
    for (const url of [panel().url, second.url]) {
      const again = new Browser(url, cookie);
      assert.equal((await again.call('GET', '/panel/api/session')).status, 401);
      assert.equal((await again.call('GET', '/panel/api/events')).status, 401);
    }
    await waitUntil('both streams have ended', () => (here.closed && there.closed) || null);
    assert.ok(here.signedOut && there.signedOut, 'each has told its page');
  }

  async function sessionOf(browser: Browser): Promise<string> {
    const shown = await browser.call('GET', '/panel/api/session');
    return v.parse(SessionSchema, shown.json).data.id;
  }

  async function end(browser: Browser): Promise<void> {
    const ana = await panel().signedInAs('ana');
    const answer = await ana.call('POST', `/panel/api/sessions/${await sessionOf(browser)}/end`);
    assertStatus(answer, 200);
  }

  function member(command: string): Promise<unknown> {
    const { stack, shop } = panel();
    return stack.ask('members', command, '--org', shop.ref, '--member', 'duda');
  }

  test('that an admin ends', async () => {
    const bia = await panel().signedInAs('bia');
    const [streams, other] = [
      await openOnBoth(bia),
      await openOnBoth(await panel().signedInAs('bia')),
    ];
    await end(bia);
    await assertEnded(streams);
    assert.deepEqual([other.here.closed, other.there.closed], [false, false]);
  });

  test('that its member ends', async () => {
    const bia = await panel().signedInAs('bia');
    const streams = await openOnBoth(bia);
    assert.equal((await bia.call('POST', '/panel/api/sign-out')).status, 200);
    await assertEnded(streams);
  });

  test('that ends with a new passphrase; the session that has set it goes on', async () => {
    const own = await panel().signedInByMail('caio@example.com');
    const [kept, streams] = [
      await openOnBoth(own),
      await openOnBoth(await panel().signedInAs('caio')),
    ];
    const set = { body: { passphrase: PASSPHRASE } };
    assert.equal((await own.call('POST', '/panel/api/passphrase', set)).status, 200);
    await assertEnded(streams);
    assert.deepEqual([kept.here.closed, kept.there.closed], [false, false]);
  });

  test('of a member that the command line disables', async () => {
    const streams = await openOnBoth(await panel().signedInAs('duda'));
    await member('disable');
    await assertEnded(streams);
    await member('enable');
  });

  test('of a member that a file removes', async () => {
    const { stack, shop } = panel();
    const streams = await openOnBoth(await panel().signedInAs('duda'));
    const change = (entry: object) =>
      stack.apply({ orgs: [{ ref: shop.ref, members: [{ ref: 'duda', ...entry }] }] });
    await change({ remove: true });
    await assertEnded(streams);
    await change({ name: 'Duda', email: 'duda@example.com' });
  });

  test('of the operator', async () => {
    const { stack, shop } = panel();
    const operator = await panel().useLink(await stack.ask('panel', 'link', '--operator'));
    const streams = await openOnBoth(operator, shop.id);
    assert.equal((await operator.call('POST', '/panel/api/sign-out')).status, 200);
    await assertEnded(streams);
  });

  test('stay open at a change of the role, which every role may hear', async () => {
    const { stack, shop } = panel();
    const { here, there } = await openOnBoth(await panel().signedInAs('duda'));
    const role = ['members', 'role', '--org', shop.ref, '--member', 'duda', '--role'];
    await stack.ask(...role, 'viewer');
    await stack.ask(...role, 'attendant');
    const told = ({ hints }: OpenPage) => hints.some(({ kind }) => kind === 'organization');
    await waitUntil('the change is told', () => (told(here) && told(there)) || null);
    assert.deepEqual([here.closed, there.closed], [false, false]);
  });

  test('of a process that is stopped end when it goes on; the command does not wait for it', async () => {
    const bia = await panel().signedInAs('bia');
    const { here, there } = await openOnBoth(bia);
    second.signal('SIGSTOP');
    try {
      await end(bia);
      await waitUntil('the stream here', () => here.closed || null);
      assert.equal(there.closed, false);
      const { dataDir } = panel().stack;
      const told = () => loggedLines(dataDir, LOG_EVENT.streamsUnacknowledged, 'actors');
      await waitUntil('a line about it', () => told().length > 0 || null);
    } finally {
      second.signal('SIGCONT');
    }
    await waitUntil('the stream there', () => there.closed || null);
    assert.ok(there.signedOut);
  });
});
