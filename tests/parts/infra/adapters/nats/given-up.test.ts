/** A connection that is there only after its tries were ended is closed, and keeps no process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectWithRetry } from '../../../../../infra/adapters/log/connect-with-retry.ts';
import { SILENT } from '../../../../support/engine.ts';

const SERVER = { name: 'the server', where: 'here' };

test('what an attempt opens after the end of the tries is discarded', async () => {
  const tries = new AbortController();
  const opened = Promise.withResolvers<string>();
  const discarded: string[] = [];
  const discard = async (connection: string) => void discarded.push(connection);
  const waiting = { log: SILENT, signal: tries.signal, discard };
  const connecting = connectWithRetry(SERVER, waiting, () => opened.promise);
  tries.abort(new Error('over'));
  opened.resolve('a connection');
  await assert.rejects(connecting, /over/);
  assert.deepEqual(discarded, ['a connection']);
});

test('what is opened in time is kept', async () => {
  const discarded: string[] = [];
  const discard = async (connection: string) => void discarded.push(connection);
  const waiting = { log: SILENT, signal: new AbortController().signal, discard };
  assert.equal(await connectWithRetry(SERVER, waiting, async () => 'a connection'), 'a connection');
  assert.deepEqual(discarded, []);
});
