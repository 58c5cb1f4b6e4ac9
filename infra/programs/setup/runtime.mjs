// Prepares the project's runtime, from a fresh clone and any Node.js of version 20 or newer. A
// repeated call costs a few file reads.
// 1. The stamp is written last, so the next set-up continues an interrupted one.
// 2. Each part appears by rename: no process ever sees half of one.
// 3. Standard output is the caller's: progress goes to standard error.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installDependencies } from './dependencies.mjs';
import { NATS_SERVER, NODE, natsIsGiven, ROOT, RUNTIME } from './environment.mjs';
import { withLock } from './lock.mjs';
import { placeNatsServer } from './nats-binary.mjs';
import { findNode24, placeNode } from './node-binary.mjs';

/** Raised when the recipe changes, so that existing set-ups are made anew. */
const RECIPE = 1;
const STAMP = join(RUNTIME, 'stamp.json');

/**
 * Ensures that Node.js 24, the npm packages and a NATS server are there.
 * @param {{development?: boolean}} [options] `development`: with the packages of maintainers
 * @returns {Promise<{node: string}>} the Node.js binary to run the project with
 * @throws {Error} whose message has the missing part and the remedy
 */
export async function ensureRuntime({ development = false } = {}) {
  if (isComplete(development)) return { node: NODE };
  await withLock(join(RUNTIME, 'lock'), {
    waiting: () => say('another set-up is at work in this folder, waiting for it'),
    work: () => setUp(development),
  });
  return { node: NODE };
}

async function setUp(asked) {
  if (isComplete(asked)) return;
  const lockHash = hashOfLock();
  const stamp = readStamp();
  // Who has developed here goes on with it: a start takes nothing away.
  const development = asked || stamp.development === true;
  const sameRecipe = stamp.recipe === RECIPE && stamp.root === ROOT;
  const nodeIsPlaced = sameRecipe && existsSync(NODE);
  const node24 = nodeIsPlaced ? NODE : await findNode24(say);
  const natsIsPlaced = natsIsGiven() || (sameRecipe && existsSync(NATS_SERVER));
  await allOf([
    nodeIsPlaced
      ? null
      : placeNode(node24, say).then(() => writeStamp({ recipe: RECIPE, root: ROOT, development })),
    installDependencies(node24, say, { development }),
    natsIsPlaced ? null : placeNatsServer(say),
  ]);
  writeStamp({ recipe: RECIPE, root: ROOT, lockHash, development });
  say('done');
}

/** The parts wait for other machines most of the time. A failed one does not disturb another. */
async function allOf(parts) {
  const ended = await Promise.allSettled(parts);
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

function isComplete(development) {
  const stamp = readStamp();
  return (
    stamp.recipe === RECIPE &&
    stamp.root === ROOT &&
    existsSync(NODE) &&
    existsSync(join(ROOT, 'node_modules', '.package-lock.json')) &&
    (natsIsGiven() || existsSync(NATS_SERVER)) &&
    stamp.lockHash === hashOfLock() &&
    (stamp.development === true || !development)
  );
}

function hashOfLock() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(stamp) {
  mkdirSync(RUNTIME, { recursive: true });
  const next = `${STAMP}.${process.pid}`;
  writeFileSync(next, JSON.stringify(stamp));
  renameSync(next, STAMP);
}

function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}
