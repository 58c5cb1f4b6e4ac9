/** Sentences of the pages: none is missing where names come from the server, and each is used. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TEXT } from '../../../../../gateway/panel/browser/sentences.ts';
import { PANEL_ROUTES } from '../../../../../gateway/panel/routes.ts';
import { readTexts } from '../../../../../infra/tools/source.ts';
import { isAllowed } from '../../../../../shared/panel/roles.ts';
import { ACCESSES, MEMBER_ROLES, ROLES } from '../../../../../shared/vocabulary.ts';
import { AUDIT_DETAILS } from '../../../../../shared/wire/audit.ts';

const BROWSER = 'gateway/panel/browser/';
/** They change nothing that the audit log tells of. */
const UNTOLD = new Set(['tellTyping', 'readConversation', 'readMessage']);
/** By no row of the panel: the ways in, the command line, and an AI assistant's calls. */
const OTHERS = [
  ...['signIn', 'apply', 'stopRun', 'receiveInbound'],
  // By their own names: a change of a conversation that names one thing alone.
  ...['assignConversation', 'changeParticipants', 'resolveConversation', 'reopenConversation'],
  ...['pauseAutomation', 'resumeAutomation'],
];

test('the audit log has a sentence for every operation that it tells of, and for no other', () => {
  const told = PANEL_ROUTES.filter(
    ({ method, operationId }) =>
      method !== 'GET' &&
      !UNTOLD.has(operationId) &&
      ROLES.some((role) => isAllowed(role, operationId)),
  ).map(({ operationId }) => operationId);
  const named = Object.keys(TEXT.team.operations);
  assert.deepEqual(named.toSorted(), [...told, ...OTHERS].toSorted());
});

test('the audit log has a word for every detail and every access of a key', () => {
  const { details, values } = TEXT.team;
  const named = AUDIT_DETAILS.filter((name) => name !== 'name' && name !== 'title');
  assert.deepEqual(Object.keys(details).toSorted(), named.toSorted());
  for (const value of [...ACCESSES, ...MEMBER_ROLES, 'true', 'false'])
    assert.ok(values[value], value);
});

/** Names on the way to each text. */
function waysTo(value: unknown, way: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [way];
  return Object.entries(value).flatMap(([name, part]) => waysTo(part, [...way, name]));
}

function pageTexts(): string {
  return readTexts()
    .filter(({ path }) => path.startsWith(BROWSER) && !path.includes('/sentences'))
    .map(({ text }) => text)
    .join('\n');
}

test('every sentence is used by a page', () => {
  const pages = pageTexts();
  const unused = waysTo(TEXT).filter((way) => {
    const [parent = '', name = ''] = way.slice(-2);
    // A whole group is used by a name that the server gives.
    const used = [`\\.${name}\\b`, `[.\\s]${parent}(\\[|\\))`];
    return !used.some((pattern) => new RegExp(pattern).test(pages));
  });
  assert.deepEqual(unused, []);
});

/** By role and name, as a person finds them. */
const NAMED = /(?:name: |getByLabel\()'(?<name>[^']+)'/g;
/** Names of the story itself. */
const OF_STORY = new Set(['Marina', 'Thiago', 'Acompanhar pedido']);

test('the names by which the pictures are prepared stand in the sentences', () => {
  const file = new URL('../../../../../infra/tools/shots/pictures.ts', import.meta.url);
  const steps = readFileSync(file, 'utf8');
  const body = steps.slice(steps.indexOf('async function'));
  const sentences = JSON.stringify(TEXT);
  const named = [...body.matchAll(NAMED)].map(({ groups }) => groups?.name ?? '');
  assert.ok(named.length > 0);
  const unknown = named.filter((name) => !OF_STORY.has(name) && !sentences.includes(`"${name}"`));
  assert.deepEqual(unknown, []);
});
