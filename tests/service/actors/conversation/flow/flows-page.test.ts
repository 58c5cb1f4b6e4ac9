/**
 * Every flow of docs/flows.md is applied as the page has it, and every dialogue beside it is run.
 * Each text, each status and all remaining effects are compared. A dialogue has an organization of
 * its own.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import {
  type ContactFixture,
  contactFixtureOf,
} from '../../../../support/actors/conversation/flow/contact-fixture.ts';
import { onFilePort } from '../../../../support/file-ports.ts';
import type { Organization } from '../../../../support/organization.ts';
import { useOrganizations, useStack, useUntil } from '../../../../support/stack-hooks.ts';
import { record } from '../../../../support/stand-ins/server.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { conversationEffects } from './conversation-effects.ts';
import { type Example, examplesOf, flowFor } from './page-examples.ts';
import { type TalkContact, talkContactOf } from './talk-contact.ts';

const PAGE = readFileSync(
  join(resolve(import.meta.dirname, '../../../../..'), 'docs/flows.md'),
  'utf8',
);
const EXAMPLES = examplesOf(PAGE);
const TIME_ZONE = 'America/Sao_Paulo';
const BEFORE = 'antes';
/** The other system, as the page tells of it. */
const ORDERS: Readonly<Record<string, string>> = {
  '/orders/42': '{"status":"shipped","items":[{"name":"Caneca"}]}',
  '/orders/43': '{"status":"picking"}',
};

/** The example's own flow, and the page's others that it may go over into. */
function optionsFor({ flow, dialogue }: Example, at: number) {
  const others = EXAMPLES.map((example) => example.flow);
  const flows = new Map([...others, flow].map((each) => [each.ref, each]));
  const context = { dialogue, timeZone: TIME_ZONE, now: Date.now(), erp: erp.url };
  const members = [{ ref: 'ana', name: 'Ana Souza' }];
  const name = 'Loja Exemplo';
  const tags = ['vip', 'atacado', 'consulta', 'retorno'];
  return {
    businessAccountId: `account-${at}`,
    more: { name, members, tags, flows: [...flows.values()].map((e) => flowFor(e, context)) },
  };
}

const stack = useStack();
const erp = useUntil(
  () =>
    onFilePort((place) =>
      record(({ path }) => {
        const body = ORDERS[path];
        return body === undefined ? 404 : { body };
      }, place),
    ),
  ({ close }) => close(),
);
const orgs = useOrganizations(stack, () => {
  const optionsByRef = EXAMPLES.map(
    (example, at) => [`docs-${at}`, optionsFor(example, at)] as const,
  );
  return Object.fromEntries(optionsByRef);
});

async function contactOf(org: Organization, phone: string, more: object): Promise<void> {
  const body = { phone, name: 'Maria', ...more };
  const saved = await stack.call('POST', '/api/v1/contacts', { key: org.key, body });
  assert.ok(saved.status < 300, saved.text);
}

/** The account's templates have been read from the network. */
async function untilTemplates(org: Organization): Promise<void> {
  const path = `/api/v1/templates?channelId=${org.main}`;
  const isListed = async () => {
    const { status, json } = await stack.request('GET', path, { key: org.key });
    assert.equal(status, 200);
    return Number(Object(json).total) > 0;
  };
  await waitUntil('the templates are listed', isListed);
}

interface DialogueRun {
  readonly org: Organization;
  readonly fixture: ContactFixture;
  readonly contact: TalkContact;
  /** The messages that the contact should have been told so far. */
  readonly expected: string[];
  /** How often typing should have been shown. */
  typed: number;
}

async function runLine(run: DialogueRun, line: string): Promise<void> {
  const { org, fixture, contact, expected } = run;
  const [mark = '', ...words] = line.split(' ');
  const text = words.join(' ').replaceAll('\\n', '\n');
  if (mark === '<') await act(run, text);
  else if (mark === '=') await fixture.untilStatus(text);
  else if (mark === 'tag') await contactOf(org, fixture.phone, { tags: [text] });
  else if (mark === 'typing') await untilTyping(run);
  else if (mark === '>') {
    expected.push(text);
    await fixture.untilReceived(expected.length);
    // The next ones may be there already; the end of the talk compares all.
    const received = await contact.received();
    assert.deepEqual(received.slice(0, expected.length), expected);
  } else assert.ok(['~', '@', '+'].includes(mark), `a line of a talk: ${line}`);
}

/** The contact writes, presses `[id]`, reacts `(👍)`, or sends `(place) -23.5, -46.6`. */
async function act({ fixture, contact }: DialogueRun, text: string): Promise<void> {
  const [, id] = /^\[(.+)\]$/.exec(text) ?? [];
  const [, emoji] = /^\((\P{ASCII}+)\)$/u.exec(text) ?? [];
  const [, latitude, longitude] = /^\(place\) (\S+), (\S+)$/.exec(text) ?? [];
  if (id !== undefined) await contact.press(id);
  else if (emoji !== undefined) await contact.react(emoji);
  else if (latitude !== undefined) await contact.sendPlace(Number(latitude), Number(longitude));
  else await fixture.send(text);
}

async function untilTyping(run: DialogueRun): Promise<void> {
  run.typed += 1;
  const isTyping = async () => {
    const shown = await stack.network.shown(run.fixture.phone);
    return shown.filter(({ kind }) => kind === 'typing').length >= run.typed;
  };
  await waitUntil('typing is shown', isTyping);
}

async function assertEffects(
  { org, fixture }: DialogueRun,
  lines: readonly string[],
): Promise<void> {
  const about = { phone: fixture.phone, timeZone: TIME_ZONE };
  const wanted = lines.filter((line) => line.startsWith('+ ')).map((line) => line.slice(2));
  let left: readonly string[] = [];
  const isThere = async () => {
    left = await conversationEffects(stack, org, about);
    return left.length >= wanted.length;
  };
  await waitUntil('all is left behind', isThere).catch(() => false);
  assert.deepEqual(left, wanted.toSorted());
}

describe('docs/flows.md', { concurrency: true }, () => {
  test('has ten flows, each with a talk', () => {
    assert.equal(new Set(EXAMPLES.map(({ flow }) => flow)).size, 10);
    for (const { title, dialogue } of EXAMPLES) assert.ok(dialogue.length > 2, title);
  });

  for (const [at, { title, dialogue: lines }] of EXAMPLES.entries()) {
    test(title, async () => {
      const org = orgs[`docs-${at}`];
      assert.ok(org);
      const fixture = contactFixtureOf(stack, org);
      await contactOf(org, fixture.phone, {});
      const to = { channelId: org.main, phone: fixture.phone };
      await stack.send(org.key, { ...to, text: BEFORE });
      const contact = talkContactOf(stack, org.main, fixture.phone);
      const run = { org, fixture, contact, expected: [BEFORE], typed: 0 };
      await untilTemplates(org);
      for (const line of lines) await runLine(run, line);
      await assertEffects(run, lines);
      assert.deepEqual(await contact.received(), run.expected);
    });
  }
});
