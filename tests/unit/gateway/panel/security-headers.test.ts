/** Headers of the panel's answers (docs/security.md, people). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withSecurityHeaders } from '../../../../gateway/panel/security-headers.ts';

it('keep the stricter policy of a file', () => {
  const headers = { 'content-security-policy': "default-src 'none'; sandbox" };
  const reply = withSecurityHeaders({ status: 200, body: '', headers });
  assert.equal(reply.headers?.['content-security-policy'], "default-src 'none'; sandbox");
  assert.equal(reply.headers?.['x-content-type-options'], 'nosniff');
});

it('give a file that is saved no type that a page could run', () => {
  const saved = { 'content-disposition': "attachment; filename*=UTF-8''a.js" };
  const reply = { status: 200, body: '', contentType: 'text/javascript' };
  const type = (headers: Record<string, string>) =>
    withSecurityHeaders({ ...reply, headers }).contentType;
  assert.equal(type(saved), 'application/octet-stream');
  assert.equal(type({ 'content-disposition': 'inline' }), 'text/javascript');
});

it('keep answers out of caches, unless a file says otherwise', () => {
  const cached = (headers: Record<string, string>) =>
    withSecurityHeaders({ status: 200, body: '', headers }).headers?.['cache-control'];
  assert.equal(cached({}), 'no-store');
  assert.equal(cached({ 'cache-control': 'no-cache' }), 'no-cache');
});
