/** Deliveries as the command line lists them, and their two signatures. */
import assert from 'node:assert/strict';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import * as v from 'valibot';
import type { Stack } from './stack.ts';
import type { Received, Subscriber } from './stand-ins/subscriber.ts';
import { waitFor } from './wait-for.ts';

const DeliveriesSchema = v.object({
  data: v.array(
    v.object({
      id: v.string(),
      event: v.string(),
      subscriptionId: v.string(),
      status: v.string(),
      attempts: v.array(
        v.object({
          at: v.string(),
          status: v.nullable(v.number()),
          ms: v.number(),
          error: v.nullable(v.string()),
        }),
      ),
      nextAttemptAt: v.nullable(v.string()),
      createdAt: v.string(),
    }),
  ),
});

/** Both public verifiers accept it, and refuse it when a byte is added. */
export async function assertSigned({ headers, bytes, delivery: id }: Received, secret: string) {
  const body = bytes.toString('utf8');
  const signature = String(headers['x-service-signature']);
  assert.match(signature, /^sha256=[0-9a-f]{64}$/);
  assert.ok(await verify(secret, body, signature), 'X-Service-Signature holds');
  assert.ok(!(await verify(secret, `${body} `, signature)));
  assert.equal(headers['webhook-id'], id);
  const standard = new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' });
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  standard.verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
}

/** Newest first. */
export async function deliveriesOf(stack: Stack, ref: string, ...more: readonly string[]) {
  return v.parse(DeliveriesSchema, await stack.ask('deliveries', 'list', '--org', ref, ...more))
    .data;
}

export async function subscriptionsOf(stack: Stack, org: string) {
  const row = v.object({
    id: v.string(),
    ref: v.string(),
    enabled: v.boolean(),
    disabledReason: v.nullable(v.string()),
  });
  const answer = await stack.ask('subscriptions', 'list', '--org', org);
  return v.parse(v.object({ data: v.array(row) }), answer).data;
}

interface Listed {
  readonly ref: string;
  readonly id: string;
  readonly status: string;
}

/** The delivery once the command line shows it in that state. */
export function untilListed(stack: Stack, { ref, id, status }: Listed) {
  return waitFor(
    async () => {
      const found = (await deliveriesOf(stack, ref)).find((each) => each.id === id);
      return found?.status === status ? found : null;
    },
    { what: `${id} is ${status}` },
  );
}

/** Requests at a path about one message or contact, by the content of their bodies. */
export function arrivals(subscriber: () => Subscriber) {
  const about = (path: string, what: string): readonly Received[] =>
    subscriber()
      .at(path)
      .filter(({ bytes }) => bytes.includes(what));
  const untilAbout = (path: string, what: string, count = 1): Promise<readonly Received[]> =>
    waitFor(
      () => {
        const found = about(path, what);
        return found.length >= count ? found : null;
      },
      { what: `${count} deliveries at ${path} about ${what}` },
    );
  return { about, untilAbout };
}
