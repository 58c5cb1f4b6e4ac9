// Puts a NATS server at .runtime/bin/nats-server: the machine's own if it is new enough, else
// the distribution's package, unpacked beside the project. The service uses core NATS only.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { NATS_SERVER, RUNTIME } from './environment.mjs';
import { findOnPath, LOWEST, versionOf } from './nats-on-path.mjs';
import { unpackPackages } from './packages.mjs';

/**
 * Makes `.runtime/bin/nats-server`.
 * @throws {Error} whose message has the operator's alternative
 */
export async function placeNatsServer(say) {
  mkdirSync(dirname(NATS_SERVER), { recursive: true });
  const next = `${NATS_SERVER}.next`;
  rmSync(next, { force: true });
  const own = await findOnPath(say);
  if (own === undefined) {
    await unpackServer(next, say);
  } else {
    symlinkSync(own, next);
  }
  renameSync(next, NATS_SERVER);
  say(`NATS server ${(await versionOf(NATS_SERVER)).join('.')} is ready`);
}

async function unpackServer(target, say) {
  say('no nats-server on the PATH, unpacking the distribution’s package');
  const unpacked = join(RUNTIME, 'nats-unpacked');
  try {
    await unpackPackages({ 'nats-server': LOWEST }, unpacked);
  } catch (error) {
    const remedy =
      `install nats-server ${LOWEST} or newer (macOS: brew install nats-server; the npm package ` +
      'nats-memory-server downloads one), or set NATS_URL';
    throw new Error(`no NATS server: ${remedy}`, { cause: error });
  }
  const binary = ['usr/sbin/nats-server', 'usr/bin/nats-server']
    .map((path) => join(unpacked, path))
    .find((path) => existsSync(path));
  if (binary === undefined) throw new Error('the nats-server package holds no nats-server');
  copyFileSync(binary, target);
  chmodSync(target, 0o755);
  rmSync(unpacked, { recursive: true, force: true });
}
