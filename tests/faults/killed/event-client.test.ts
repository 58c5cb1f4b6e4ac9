/** The client's `events()` while its gateway is restarted and killed, and its word of a drop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader, type StreamedEvent } from '../../../infra/kit/client/events.ts';
import { Transport } from '../../../infra/kit/client/transport.ts';
import { runs } from '../../support/processes.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { serve } from '../../support/stand-ins/server.ts';
import { waitFor } from '../../support/wait-for.ts';

const stack = useStack();
const { shop } = useOrganizations(stack, { shop: {} });

async function addTask(title: string): Promise<void> {
  const headers = { 'idempotency-key': title };
  const call = { key: shop.key, body: { title }, headers };
  const isDone = async () => {
    const answer = await stack.request('POST', '/api/v1/tasks', call).catch(() => null);
    return answer?.status === 201;
  };
  await waitFor(isDone, { what: `${title} is added` });
}

function titleOf({ data }: StreamedEvent): string {
  return String(Object(data).task.title);
}

test('it goes on over a restart and a kill of its gateway, each event once', async () => {
  const transport = new Transport({ baseUrl: stack.baseUrl, key: shop.key });
  const stream = new EventReader(transport, { name: 'loop', events: ['task.created'] });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of stream) seen.push(titleOf(event));
  })();
  const begun = async () => {
    const call = { key: shop.key, body: { name: 'loop', id: 'dlv_none' } };
    return (await stack.request('POST', '/api/v1/events/ack', call)).status === 200;
  };
  await waitFor(begun, { what: 'the stream has begun' });
  const wanted: string[] = [];
  const add = async () => {
    wanted.push(`Tarefa ${wanted.length}`);
    await addTask(wanted.at(-1) ?? '');
  };
  await add();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const pid = stack.pid('gateway');
    process.kill(pid, signal);
    await add();
    await waitFor(() => !runs(pid), { what: 'the gateway has ended' });
    await add();
    await waitFor(() => seen.length === wanted.length, { what: 'every task is told' });
  }
  assert.deepEqual(seen, wanted);
  await stream.close();
  await reading;
});

test('a drop is told to its callback, and the events go on', async () => {
  const { url: baseUrl, close } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\nevent: overflow\ndata: {"dropped":3}\n\n');
    response.write('id: dlv_4\nevent: task.created\ndata: {"event":"task.created","data":{}}\n\n');
  });
  const drops: number[] = [];
  const transport = new Transport({ baseUrl, key: 'a-key' });
  const onOverflow = ({ dropped }: { readonly dropped: number }) => void drops.push(dropped);
  const stream = new EventReader(transport, { onOverflow });
  const { value } = await stream.next();
  assert.deepEqual([value?.id, drops], ['dlv_4', [3]]);
  await stream.return();
  await close();
});
