/**
 * No packet goes to an internal address for a caller's mediaUrl (I10). Every spelling, and every
 * redirect to one, is 422 at mediaUrl, and the listener there receives no connection.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertRefused, freshPhone, issuePaths } from '../../../../support/api.ts';
import {
  INTERNAL_SPELLINGS,
  LOOPBACK_SPELLINGS,
  UNSPECIFIED_SPELLINGS,
} from '../../../../support/infra/adapters/outbound/internal-spellings.ts';
import { useOrganizations, useStack, useUntil } from '../../../../support/stack-hooks.ts';
import { listenEverywhere } from '../../../../support/stand-ins/everywhere.ts';
import { bytesOf, useFiles } from './media-fixture.ts';

/** An internal service that is not allowed, at every address of this machine. */

const stack = useStack();
const allowed = useFiles();
const { a } = useOrganizations(stack, { a: {} });
const internal = useUntil(listenEverywhere, ({ close }) => close());

async function refused(mediaUrl: string): Promise<string> {
  const phone = freshPhone();
  const body = { phone, mediaUrl, text: 'oi' };
  const answer = await stack.call('POST', '/api/v1/messages', { key: a.mainKey, body });
  assert.deepEqual(issuePaths(answer), ['mediaUrl'], mediaUrl);
  return assertRefused(answer, 422);
}

describe('a mediaUrl that leads inwards', () => {
  test('is refused in every spelling, and the listener sees no connection', async () => {
    const named = ['localhost', 'LOCALHOST.', ...internal.hosts];
    const hosts = [...LOOPBACK_SPELLINGS, ...UNSPECIFIED_SPELLINGS, ...named];
    for (const host of hosts) await refused(`http://${host}:${internal.port}/a.png`);
    assert.deepEqual(internal.connected, []);
  });

  test('is refused at once wherever it is internal', async () => {
    await Promise.all(INTERNAL_SPELLINGS.map((host) => refused(`http://${host}/a.png`)));
  });

  test('is refused behind a redirect of a server that may be called', async () => {
    const named = ['localhost', ...internal.hosts];
    const hosts = [...LOOPBACK_SPELLINGS, ...UNSPECIFIED_SPELLINGS, ...named];
    for (const [index, host] of hosts.entries()) {
      const target = encodeURI(`http://${host}:${internal.port}/a.png`).replaceAll('%25', '%');
      await refused(
        allowed.redirect(`/to-${index}`, target.replaceAll('%5B', '[').replaceAll('%5D', ']')),
      );
    }
    for (const target of [
      'file:///etc/passwd',
      'ftp://127.0.0.1/a',
      'gopher://127.0.0.1/',
      '//[::1]/a',
    ]) {
      await refused(allowed.redirect('/scheme', target));
    }
    assert.deepEqual(internal.connected, []);
  });

  test('is refused when the last redirect of a chain turns inwards, however often', async () => {
    for (const [index, host] of internal.hosts.entries()) {
      const inwards = `http://${host}:${internal.port}/a.png`;
      const third = allowed.redirect(`/third-${index}`, inwards, 307);
      const second = allowed.redirect(`/second-${index}`, third, 301);
      await refused(allowed.redirect(`/first-${index}`, second, 308));
      assert.equal(allowed.asked(`/third-${index}`), 1, 'the chain was followed to its last turn');
    }
    assert.deepEqual(internal.connected, []);
  });

  test('stores nothing and sends nothing, while what is allowed goes', async () => {
    const own = new Set([a.main, a.shop]);
    const left = (await stack.network.sent()).filter(({ channel }) => own.has(channel));
    assert.deepEqual(left, []);
    assert.equal((await stack.conversations(a.key)).total, 0);
    const mediaUrl = allowed.file('/ok.png', bytesOf('fine'), { 'content-type': 'image/png' });
    const sent = await stack.send(a.mainKey, { phone: freshPhone(), mediaUrl });
    await stack.messageIn(a.mainKey, sent, 'read');
    assert.deepEqual(internal.connected, []);
  });
});
