/** D261: each example of the page runs as it stands, with the ids and the key of its reader. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { KEY_VARIABLE } from '../../../../gateway/docs/call-examples.ts';
import { DEAL } from '../../../../gateway/routes/deals.ts';
import {
  CHANNEL_ID,
  CONTACT,
  CONVERSATION_ID,
  MEDIA_ID,
  MESSAGE_ID,
} from '../../../../gateway/routes/examples.ts';
import { FILE, FILE_ID } from '../../../../gateway/routes/files.ts';
import { FLOW } from '../../../../gateway/routes/flows.ts';
import { PIPELINE_ID, STAGE_ID } from '../../../../gateway/routes/pipelines.ts';
import { TASK } from '../../../../gateway/routes/tasks.ts';
import { ROUTES } from '../../../../gateway/routes.ts';
import { freshPhone } from '../../../support/api.ts';
import { useOrganizations, useStack } from '../../../support/stack-hooks.ts';
import { createResourcesFixture, optionsOf } from '../../security/resources-fixture.ts';
import { exampleOf, examplesOf, withValues } from './examples.ts';

const PHONE = '+55 (11) 98888-7777';
const run = promisify(execFile);
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

let examples: ReturnType<typeof examplesOf>;

const folder = mkdtempSync(join(tmpdir(), 'recado-docs-'));
const stack = useStack();
const { docs: org } = useOrganizations(stack, () => ({ docs: optionsOf(stack) }));
before(async () => {
  writeFileSync(join(folder, FILE.name), 'uma tabela');
  const { text } = await stack.request('GET', '/docs');
  examples = examplesOf(text);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Calls that a reader makes: none of a network's own, and none of the message protocol. */
const OPERATIONS = ROUTES.filter(({ entrance }) => entrance === 'api' || entrance === 'open').map(
  ({ operationId }) => operationId,
);
/** A stream has no end, and its acknowledgement names an event of it. */
const OF_STREAMS = ['streamEvents', 'acknowledgeEvents'];
const ENDING = OPERATIONS.filter((id) => !OF_STREAMS.includes(id));

/** One of everything that the examples name. */
async function ownValues() {
  const own = await createResourcesFixture(stack, org, 'main');
  const values: Readonly<Record<string, string>> = {
    [CHANNEL_ID]: own.channelId,
    [CONTACT.id]: own.contactId,
    [CONVERSATION_ID]: own.conversationId,
    [PIPELINE_ID]: own.pipelineId,
    [STAGE_ID]: own.stageId,
    [DEAL.id]: own.dealId,
    [TASK.id]: own.taskId,
    [FLOW.id]: own.flowId,
    [MEDIA_ID]: own.mediaId,
    [FILE_ID]: own.spareFileIds[0] ?? '',
    [PHONE]: `+${freshPhone()}`,
  };
  /** Messages by the call that is about one. */
  const messages: Readonly<Record<string, string>> = {
    getMessage: own.inboundId,
    readMessage: own.inboundId,
    cancelMessage: own.scheduledId,
  };
  return { messages, values };
}

async function codesIn(language: string): Promise<readonly [id: string, code: string][]> {
  const { messages, values } = await ownValues();
  return ENDING.map((id) => {
    const messageId = messages[id];
    const own = messageId === undefined ? values : { ...values, [MESSAGE_ID]: messageId };
    return [id, withValues(exampleOf(examples, id, language), own)];
  });
}

/** All of them in one process, one after another; each prints its status. */
async function runAll(language: string, [name, ...words]: readonly [string, ...string[]]) {
  const extension = language === 'Python' ? 'py' : 'ts';
  const codes = await codesIn(language);
  for (const [id, code] of codes) writeFileSync(join(folder, `${id}.${extension}`), code);
  const files = codes.map(([id]) => `${id}.${extension}`);
  const env = { ...process.env, [KEY_VARIABLE]: org.key };
  const { stdout } = await run(name, [...words, ...files], { cwd: folder, env });
  return stdout;
}

/** The file of `getMedia` is saved, all others print. */
function assertSucceeded(stdout: string): void {
  const statuses = [...stdout.matchAll(/^(\d{3})\b/gm)].map(([, status = '']) => status);
  assert.equal(statuses.length, ENDING.length - FILES.length, stdout.slice(-500));
  for (const status of statuses) assert.match(status, /^20[01]$/, stdout.slice(-500));
  assert.ok(existsSync(join(folder, 'arquivo')));
  rmSync(join(folder, 'arquivo'));
}

const FILES = ['getMedia', 'getDocumentationFile', 'getClientPackage'];

test('every call of a reader has an example in each language', () => {
  for (const id of OPERATIONS) {
    assert.deepEqual([...(examples.get(id)?.keys() ?? [])], ['curl', 'TypeScript', 'Python'], id);
  }
});

test('the examples in curl succeed', { skip: !has('curl') }, async () => {
  const env = { ...process.env, [KEY_VARIABLE]: org.key };
  for (const [id, code] of await codesIn('curl')) {
    // A reader sees the body alone; the status is asked for here.
    const command = code.replace(/^curl /, "curl -sS -w '\\n%{http_code}' ");
    const { stdout } = await run('sh', ['-c', command], { cwd: folder, env });
    assert.match(stdout, /\n20[01]$/, `${id}: ${stdout.slice(-300)}`);
  }
  assert.ok(existsSync(join(folder, 'arquivo')));
  rmSync(join(folder, 'arquivo'));
});

test('the examples in TypeScript succeed', async () => {
  const each = 'for (const file of process.argv.slice(1)) await import(process.cwd() + "/" + file)';
  const program = [process.execPath, '--input-type=module', '-e', each] as const;
  assertSucceeded(await runAll('TypeScript', program));
});

test('the examples in Python succeed', { skip: !has('python3') }, async () => {
  const each = 'import runpy, sys\nfor file in sys.argv[1:]: runpy.run_path(file)';
  assertSucceeded(await runAll('Python', ['python3', '-c', each]));
});
