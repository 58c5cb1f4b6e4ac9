/** A connection that is there only after its tries were ended is closed, and keeps no process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectWithRetry } from '../../../../../infra/adapters/log/connect-with-retry.ts';
import { SILENT } from '../../../../support/engine.ts';

const SERVER = { name: 'the server', where: 'here' };

function connecting(attempt: () => Promise<string>) {
  const tries = new AbortController();
  const discarded: string[] = [];
  const discard = async (connection: string) => void discarded.push(connection);
  const waiting = { log: SILENT, signal: tries.signal, discard };
  return { tries, discarded, connected: connectWithRetry(SERVER, waiting, attempt) };
}

test('what an attempt opens after the end of the tries is discarded', async () => {
  const opened = Promise.withResolvers<string>();
  const { tries, discarded, connected } = connecting(() => opened.promise);
  tries.abort(new Error('over'));
  opened.resolve('a connection');
  await assert.rejects(connected, /over/);
  assert.deepEqual(discarded, ['a connection']);
});

test('what is opened in time is kept', async () => {
  const { discarded, connected } = connecting(async () => 'a connection');
  assert.equal(await connected, 'a connection');
  assert.deepEqual(discarded, []);
});
