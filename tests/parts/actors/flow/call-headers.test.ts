/** The headers of an http step's request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlowCalls } from '../../../../actors/flow/calls.ts';
import type { OutboundRequest } from '../../../../shared/ports/outbound.ts';

const quiet = () => undefined;

/** Of a stored flow with these. */
async function sentWith(headers: Readonly<Record<string, string>>) {
  const sent = Promise.withResolvers<OutboundRequest['headers']>();
  const request = async (_: string, { headers: given }: OutboundRequest) => {
    sent.resolve(given);
    return { ok: true, status: 200, body: '', ms: 1 };
  };
  const settings = { eventHeaderPrefix: 'X-Loja' };
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const calls = new FlowCalls(
    { outbound: { request }, log, settings } as never,
    {
      publish: async () => undefined,
    } as never,
  );
  const contact = { id: '', phone: '', name: 'Ana', email: null, fields: {}, tags: [] };
  const org = { name: '', timeZone: 'UTC' };
  const context = { now: 0, contact, org, nameOf: () => 'call_1' };
  const run = { id: 'run_1', visit: 1, answers: {}, parsed: [] };
  const step = { do: 'http', url: 'https://x.example/', headers };
  calls.begin(
    { id: 'cnv_1', orgId: 'org_1', createdAt: 0 } as never,
    { run, step, context } as never,
  );
  return await sent.promise;
}

test('a stored flow with headers that are not its own is called without them', async () => {
  const headers = {
    ...{ Host: 'inside', Cookie: 'a=b', 'X-Forwarded-For': '10.0.0.1', 'Sec-Fetch-Site': 'none' },
    ...{ 'X-Loja-Signature': 'forged', 'Transfer-Encoding': 'chunked', 'Idempotency-Key': 'mine' },
    'X-Api-Key': '{{contact.name}}',
  };
  assert.deepEqual(await sentWith(headers), {
    'user-agent': 'Recado-Flows/1.0',
    'x-api-key': 'Ana',
    'idempotency-key': 'call_1',
  });
});
