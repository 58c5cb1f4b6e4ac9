/**
 * The disk of the data folder, and so of the embedded store, is full. The terminal and `doctor`
 * report it, callers are refused, and nothing that was answered 201 is lost. The disk is one of our
 * own.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { SendMessageAnswer } from '../../../../../../shared/api/message.ts';
import { type Answer, assertRefused, freshPhone } from '../../../../../support/api.ts';
import { type Organization, organizations } from '../../../../../support/organization.ts';
import { type Stack, startStack } from '../../../../../support/stack.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';

const ROOMY = 'size=2g';
const ONE_OF_EACH = { gateway: 1, panel: 0, actors: 1, nats: 1, mongo: 1, sandbox: 1 };

/** A file system in memory, as large as it is told; null where this user may not mount one. */
function mountDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'recado-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', ROOMY, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

const resize = (folder: string, size: string) =>
  execFileSync('mount', ['-o', `remount,${size}`, folder], { stdio: 'ignore' });

/** Makes the disk as large as its content, and uses up the rest. */
function fill(folder: string): void {
  const { blocks, bfree, bsize } = statfsSync(folder);
  resize(folder, `size=${(blocks - bfree) * bsize + 64 * 1024}`);
  const part = Buffer.alloc(4 * 1024);
  for (;;) {
    try {
      appendFileSync(join(folder, 'filler'), part);
    } catch (cause) {
      assert.match(String(cause), /ENOSPC/);
      return;
    }
  }
}

const disk = mountDisk();
const skip = disk === null ? 'a disk of our own takes a user who may mount one' : false;
let stack: Stack;
let org: Organization;

before(async () => {
  if (disk === null) return;
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk;
  try {
    stack = await startStack();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  ({ loja: org } = await organizations(stack, { loja: {} }));
});

after(async () => {
  if (disk === null) return;
  resize(disk, ROOMY);
  await stack?.stop();
  execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true });
});

/** Accepted messages are there; the rest was refused in our own words. */
async function assertKept(answers: readonly Answer[]): Promise<void> {
  const refused = answers.filter(({ status }) => status !== 201);
  for (const answer of refused) assertRefused(answer, 500);
  const accepted = answers.filter(({ status }) => status === 201);
  await Promise.all(
    accepted.map(async ({ json }) => {
      const { conversationId, messageId } = v.parse(SendMessageAnswer, json).data;
      const kept = await stack.history(org.key, conversationId);
      // One whose answer was lost with the store is in doubt for a while.
      assert.notEqual(kept.find(({ id }) => id === messageId)?.status ?? 'lost', 'lost');
      assert.ok(kept.every(({ status }) => status !== 'failed'));
    }),
  );
}

test('a full disk is told, refuses calls, and loses nothing', { skip }, async () => {
  assert.ok(disk !== null);
  const text = 'x'.repeat(4_000);
  const call = () => {
    const body = { channelId: org.main, phone: freshPhone(), text };
    return stack.request('POST', '/api/v1/messages', { key: org.key, body });
  };
  const calls = [call()];
  await calls[0];
  fill(disk);

  await waitUntil('the terminal tells of it', async () => {
    const round = Array.from({ length: 16 }, call);
    calls.push(...round);
    // The rest of those that meet the full disk is answered when it is over.
    await Promise.race([Promise.all(round), pause(500)]);
    return /mongo .* is full: 0 MiB are free/.test(stack.story());
  });
  const [ready, doctor] = await Promise.all([
    stack.request('GET', '/readyz'),
    stack.spawnRecado(['doctor']),
  ]);
  assert.equal(ready.status, 503);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /^disk +NOT OK [\s\S]*: 0 MiB of \d+ are free/m);

  resize(disk, ROOMY);
  await assertKept(await Promise.all(calls));
  await waitUntil(
    'the service is back',
    async () => (await stack.request('GET', '/readyz')).status === 200,
  );
  assert.match(readFileSync(join(stack.dataDir, 'run.json'), 'utf8'), /"actors"/);
  const running = Object.entries(stack.runFile().pids).map(([role, pids]) => [role, pids.length]);
  assert.deepEqual(Object.fromEntries(running), ONE_OF_EACH, 'run.json is of now');
});
