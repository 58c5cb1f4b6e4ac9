/** The request of an http step (docs/flows.md). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestOf } from '../../../../../actors/domain/flow/call.ts';
import {
  begun,
  contextOf,
  flowOf,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';

test('a stored flow with headers that are not its own is called without them', () => {
  const headers = {
    ...{ Host: 'inside', Cookie: 'a=b', 'X-Forwarded-For': '10.0.0.1', 'Sec-Fetch-Site': 'none' },
    ...{ 'X-Loja-Signature': 'forged', 'Transfer-Encoding': 'chunked', 'Idempotency-Key': 'mine' },
    'X-Api-Key': '{{org.name}}',
  };
  const flow = flowOf([{ id: 'one', do: 'http', url: 'https://x.example/', headers, next: null }]);
  const state = begun(flow);
  const step = flow.steps.get('one');
  const context = contextOf(flow);
  assert.ok(state.run && step?.do === 'http');
  const request = requestOf(state, { run: state.run, step, context }, 'X-Loja');
  assert.deepEqual(request?.headers, {
    'user-agent': 'Recado-Flows/1.0',
    'x-api-key': context.org.name,
    'idempotency-key': context.nameOf('call'),
  });
});
