/** Credentials in the user part of NATS_URL, for whatever server an operator brings. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../../../../../infra/adapters/clock/clock.ts';
import { natsAccess } from '../../../../../../infra/adapters/nats/access.ts';
import { connectBus } from '../../../../../../infra/adapters/nats/bus.ts';
import { ConfigError, loadConfig } from '../../../../../../infra/config/config.ts';
import { tellRow } from '../../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { checkNats } from '../../../../../../infra/programs/cli/checks/nats.ts';
import {
  NATS_SERVER_BINARY,
  natsServerArguments,
  natsServerEnvironment,
  natsServerUrl,
} from '../../../../../../infra/programs/service/nats-server/server.ts';
import { freePort } from '../../../../../../infra/programs/service/supervisor/ports.ts';

const ignore = (): void => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const servers: ChildProcess[] = [];

after(async () => {
  for (const server of servers) {
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
});

/** Resolves when the server listens. */
async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const server = spawn(NATS_SERVER_BINARY, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  servers.push(server);
  for await (const line of createInterface({ input: server.stderr })) {
    if (line.includes('Listening for client connections')) return server.stderr.resume();
  }
  throw new Error('the NATS server did not start');
}

/** The bus and the doctor get in; without credentials the doctor does not, and tells none. */
async function admits(natsUrl: string): Promise<void> {
  const bus = await connectBus({ natsUrl, clock: systemClock, log: SILENT, processId: 'access' });
  assert.ok(bus.connected());
  await bus.close();
  assert.equal((await checkNats({ natsUrl })).ok, true);
  const { host } = new URL(natsUrl);
  for (const url of [`nats://${host}`, `nats://wrong-secret@${host}`]) {
    const check = tellRow(await checkNats({ natsUrl: url }));
    assert.equal(check.ok, false);
    assert.match(check.detail, /Authorization Violation/);
    assert.doesNotMatch(JSON.stringify(check), /wrong-secret/);
  }
}

describe('a real server', () => {
  for (const token of ['t_-0', '1234567890', '12e5', 'a"b\\c $d {e} #f']) {
    test(`lets in whoever has its token, ${token}`, async () => {
      const port = await freePort('127.0.0.1');
      await serve(natsServerArguments(port), natsServerEnvironment(token));
      await admits(natsServerUrl(port, token));
    });
  }

  test('lets in a user with a password of any characters', async () => {
    const port = await freePort('127.0.0.1');
    const [user, password] = ['recado', 'p@ss:w/ord,ç'];
    await serve(['-a', '127.0.0.1', '-p', `${port}`, '--user', user, '--pass', password]);
    await admits(`nats://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`);
  });
});

describe('the user part of an address', () => {
  const secret = fc.string({ minLength: 1, unit: 'grapheme' });

  test('is read as it was written, and no server’s name holds it', () => {
    fc.assert(
      fc.property(secret, secret, fc.boolean(), (one, other, isToken) => {
        const part = isToken
          ? encodeURIComponent(one)
          : `${encodeURIComponent(one)}:${encodeURIComponent(other)}`;
        const { servers, ...identity } = natsAccess(`nats://${part}@a:1, tls://b:2`);
        assert.deepEqual(servers, ['nats://a:1', 'tls://b:2']);
        assert.deepEqual(identity, isToken ? { token: one } : { user: one, pass: other });
      }),
    );
  });

  test('may be absent, or the same at every address', () => {
    const servers = ['nats://a', 'nats://[::1]:4222'];
    assert.deepEqual(natsAccess(servers.join()), { servers });
    assert.deepEqual(natsAccess('nats://t@a,nats://t@b').servers, ['nats://a', 'nats://b']);
  });

  test('a setting with two identities, or one that cannot be read, is refused unseen', () => {
    const two = 'nats://secret1@a,nats://secret2@b';
    for (const url of [two, 'nats://secret%zz@a', 'nats://secret@']) {
      assert.throws(
        () => loadConfig({ NATS_URL: url }),
        (error) => error instanceof ConfigError && !error.message.includes('secret'),
      );
    }
    assert.equal(loadConfig({ NATS_URL: 'nats://t@a,nats://b' }).natsUrl, 'nats://t@a,nats://b');
  });
});
