/** The examples of docs/flows.md are applied as they stand there, and their talks are had. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { type Organization, organizations } from '../support/organization.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type Talk, talkOf } from './talk.ts';

const PAGE = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/flows.md'), 'utf8');

interface Example {
  readonly title: string;
  readonly yaml: string;
  readonly talk: readonly string[];
}

const EXAMPLES: readonly Example[] = [
  ...PAGE.matchAll(/### ([^\n]+)\n\n```yaml\n([\s\S]*?)```\n\n```talk\n([\s\S]*?)```/g),
].map(([, title = '', yaml = '', talk = '']) => ({ title, yaml, talk: talk.trim().split('\n') }));

/**
 * Hours become moments where the contact is silent (an answer must not race its timeout), and the
 * other system is one of the test's own.
 */
function shortened({ yaml, talk }: Example, erp: string): string {
  const silent = talk.filter((line) => line.startsWith('<')).length === 1;
  return yaml
    .replaceAll(/\btimeout: \d+[smhd]/g, silent ? 'timeout: 600ms' : '$&')
    .replaceAll(/\bdebounce: \d+[smhd]/g, 'debounce: 1500ms')
    .replaceAll('https://erp.example.com', erp);
}

const server = createServer((request, response) => {
  response.statusCode = request.url === '/orders/42' ? 200 : 404;
  response.end('{"status":"shipped","items":[{"name":"Caneca"}]}');
});
let stack: Stack;
let docs: Organization;

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const flows = EXAMPLES.map((example): unknown =>
    parse(shortened(example, `http://127.0.0.1:${port}`)),
  );
  stack = await startStack();
  const members = [{ ref: 'ana', name: 'Ana Souza' }];
  ({ docs } = await organizations(stack, { docs: { more: { members, flows } } }));
});
after(async () => {
  await stack?.stop();
  server.closeAllConnections();
  server.close();
});

async function contactOf(talk: Talk, more: Readonly<Record<string, unknown>>): Promise<void> {
  const body = { phone: talk.phone, name: 'Maria', ...more };
  const saved = await stack.request('POST', '/api/v1/contacts', { key: docs.key, body });
  assert.ok(saved.status < 300, saved.text);
}

async function have(talk: Talk, line: string, heard: string[]): Promise<void> {
  const [mark = '', ...words] = line.split(' ');
  const text = words.join(' ').replaceAll('\\n', '\n');
  if (mark === '<') await talk.says(text);
  else if (mark === '=') await talk.isIn(text);
  else if (mark === 'tag') await contactOf(talk, { tags: [text] });
  else {
    heard.push(text);
    assert.deepEqual(await talk.hears(heard.length), heard);
  }
}

describe('docs/flows.md', () => {
  test('has examples', () => assert.equal(EXAMPLES.length, 5));

  for (const { title, talk: lines } of EXAMPLES) {
    test(title, async () => {
      const talk = talkOf(stack, docs);
      await contactOf(talk, {});
      const heard: string[] = [];
      if (lines.some((line) => line.startsWith('tag '))) {
        const text = 'antes';
        await stack.send(docs.key, { channelId: docs.main, phone: talk.phone, text });
        heard.push(text);
      }
      for (const line of lines) await have(talk, line, heard);
      assert.deepEqual(await talk.heard(), heard);
    });
  }
});
