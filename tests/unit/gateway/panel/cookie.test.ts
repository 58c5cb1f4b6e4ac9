/** The cookie of a session. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import {
  cookieSettings,
  endedCookie,
  readSessionCookie,
  sessionCookie,
} from '../../../../gateway/panel/cookie.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';

const ids = createIds(Buffer.alloc(32, 1));
const others = createIds(Buffer.alloc(32, 2));
const session = { owner: 'org_1', secret: 'a'.repeat(43) };

it('is read back as it was set, among the cookies of others', () => {
  for (const secure of [false, true]) {
    const settings = cookieSettings(ids, secure);
    const [pair = ''] = sessionCookie(settings, session, 60.5).split(';');
    assert.deepEqual(readSessionCookie(`a=b; ${pair}; c=d`, settings), session);
    assert.equal(readSessionCookie(pair, cookieSettings(others, secure)), null);
  }
});

it('under https is sent over https only, and bound to the host', () => {
  const settings = cookieSettings(ids, true);
  const secure =
    /^__Host-recado_session_\w{8}=.+; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict; Secure$/;
  assert.match(sessionCookie(settings, session, 60), secure);
  assert.match(
    endedCookie(settings),
    /^__Host-recado_session_\w{8}=; Path=\/; Max-Age=0; .*Secure$/,
  );
  assert.doesNotMatch(sessionCookie(cookieSettings(ids, false), session, 60), /Secure|__Host-/);
});

it('of any other text is no session', () => {
  const settings = cookieSettings(ids, false);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const read = readSessionCookie(`${settings.name}=${text}`, settings);
      assert.ok(read === null || /^[\w-]{32,100}$/.test(read.secret));
    }),
  );
});
