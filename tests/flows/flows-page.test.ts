/**
 * Every flow of docs/flows.md is applied as it stands there, and every talk beside it is had: each
 * text, each status, and all that is left behind. A talk has an organization of its own.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Organization, organizations } from '../support/organization.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { waitFor } from '../support/wait-for.ts';
import { leftBehind } from './left-behind.ts';
import { type Example, examplesOf, flowFor } from './page-examples.ts';
import { type Talk, talkOf } from './talk.ts';

const PAGE = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/flows.md'), 'utf8');
const EXAMPLES = examplesOf(PAGE);
const TIME_ZONE = 'America/Sao_Paulo';
const BEFORE = 'antes';
/** The other system, as the page tells of it. */
const ORDERS: Readonly<Record<string, string>> = {
  '/orders/42': '{"status":"shipped","items":[{"name":"Caneca"}]}',
  '/orders/43': '{"status":"picking"}',
};

const erp = createServer((request, response) => {
  const order = ORDERS[request.url ?? ''];
  response.statusCode = order === undefined ? 404 : 200;
  response.end(order);
});
let stack: Stack;
let orgs: Readonly<Record<string, Organization>>;

/** The example's own flow, and the page's others that it may go over into. */
function wishFor({ flow, talk }: Example, port: number) {
  const others = EXAMPLES.map((example) => example.flow);
  const flows = new Map([...others, flow].map((each) => [each.ref, each]));
  const around = { talk, timeZone: TIME_ZONE, now: Date.now(), erp: `http://127.0.0.1:${port}` };
  const members = [{ ref: 'ana', name: 'Ana Souza' }];
  const name = 'Loja Exemplo';
  const tags = ['vip', 'atacado'];
  return {
    more: { name, members, tags, flows: [...flows.values()].map((e) => flowFor(e, around)) },
  };
}

before(async () => {
  erp.listen(0, '127.0.0.1');
  await once(erp, 'listening');
  const address = erp.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  stack = await startStack();
  const wishes = EXAMPLES.map((example, at) => [`docs-${at}`, wishFor(example, port)] as const);
  orgs = await organizations(stack, Object.fromEntries(wishes));
});
after(async () => {
  await stack?.stop();
  erp.closeAllConnections();
  erp.close();
});

async function contactOf(org: Organization, phone: string, more: object): Promise<void> {
  const body = { phone, name: 'Maria', ...more };
  const saved = await stack.request('POST', '/api/v1/contacts', { key: org.key, body });
  assert.ok(saved.status < 300, saved.text);
}

interface Having {
  readonly org: Organization;
  readonly talk: Talk;
  /** The texts that the contact should have been told so far. */
  readonly told: string[];
}

async function have({ org, talk, told }: Having, line: string): Promise<void> {
  const [mark = '', ...words] = line.split(' ');
  const text = words.join(' ').replaceAll('\\n', '\n');
  if (mark === '<') await talk.says(text);
  else if (mark === '=') await talk.isIn(text);
  else if (mark === 'tag') await contactOf(org, talk.phone, { tags: [text] });
  else if (mark === '>') {
    told.push(text);
    assert.deepEqual(await talk.hears(told.length), told);
  } else assert.ok(['~', '@', '+'].includes(mark), `a line of a talk: ${line}`);
}

async function leaves({ org, talk }: Having, lines: readonly string[]): Promise<void> {
  const about = { phone: talk.phone, timeZone: TIME_ZONE };
  const wanted = lines.filter((line) => line.startsWith('+ ')).map((line) => line.slice(2));
  let left: readonly string[] = [];
  const isThere = async () => {
    left = await leftBehind(stack, org, about);
    return left.length >= wanted.length;
  };
  await waitFor(isThere, { what: 'all is left behind' }).catch(() => false);
  assert.deepEqual(left, wanted.toSorted());
}

describe('docs/flows.md', { concurrency: true }, () => {
  test('has six flows, each with a talk', () => {
    assert.equal(new Set(EXAMPLES.map(({ flow }) => flow)).size, 6);
    for (const { title, talk } of EXAMPLES) assert.ok(talk.length > 2, title);
  });

  for (const [at, { title, talk: lines }] of EXAMPLES.entries()) {
    test(title, async () => {
      const org = orgs[`docs-${at}`];
      assert.ok(org);
      const talk = talkOf(stack, org);
      await contactOf(org, talk.phone, {});
      const to = { channelId: org.main, phone: talk.phone };
      await stack.send(org.key, { ...to, text: BEFORE });
      const having = { org, talk, told: [BEFORE] };
      for (const line of lines) await have(having, line);
      await leaves(having, lines);
      assert.deepEqual(await talk.heard(), having.told);
    });
  }
});
