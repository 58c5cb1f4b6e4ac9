/** Requests that the `cloud` driver posts to a bare server in the place of Meta's. */
import assert from 'node:assert/strict';
import type { NetworkDriver, OutboundContent } from '../../../../../shared/ports/network.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { withGraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { json } from '../../../../support/stand-ins/server.ts';

export const CHANNEL = channelOf('cloud');
export const ADDRESS = { messageId: 'msg_1', to: '5511988887777' };
const SENT = { messages: [{ id: 'wamid.1' }], contacts: [{ wa_id: '5511988887777' }] };

/** The bodies that a run has posted, each to the path of messages. */
export async function posted(
  run: (driver: NetworkDriver) => Promise<unknown>,
  answer: { readonly status: number; readonly body: unknown } = { status: 200, body: SENT },
) {
  const bodies: unknown[] = [];
  const result = await withGraphApi((request) => {
    assert.equal(`${request.method} ${request.path}`, 'POST /v26.0/1001/messages');
    assert.equal(request.headers.authorization, 'Bearer token-1001');
    bodies.push(JSON.parse(request.bytes.toString('utf8')));
    return json(answer.body, answer.status);
  }, run);
  return { bodies, result };
}

/** Without the ids that every message has. */
export type Content = OutboundContent extends infer Each
  ? Each extends OutboundContent
    ? Omit<Each, keyof typeof ADDRESS>
    : never
  : never;

/** A template without values. */
export const PLAIN = { name: 'hello_world', language: 'en_US', body: [], buttons: [] };
