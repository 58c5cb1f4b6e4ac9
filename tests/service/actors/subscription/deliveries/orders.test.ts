/** Operators' commands on subscriptions and deliveries (D42, D45, D46). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import * as v from 'valibot';
import { freshPhone } from '../../../../support/api.ts';
import { named } from '../../../../support/applied.ts';
import { deliveriesOf, subscriptionsOf } from '../../../../support/delivery.ts';
import { pluck } from '../../../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../support/stack-hooks.ts';
import type { Received } from '../../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

type Ref = 'gone' | 'turning' | 'ranged' | 'tested';

const stack = useStack();
const subscriber = useSubscriber();
const orgs = useOrganizations(stack, () => {
  const one = (ref: Ref) => ({
    subscriptions: [{ ref, url: `${subscriber.url}/${ref}`, events: ['message.sent'] }],
  });
  return {
    gone: one('gone'),
    turning: one('turning'),
    ranged: one('ranged'),
    tested: one('tested'),
  };
});

function send(ref: Ref): Promise<unknown> {
  const { key, main } = orgs[ref];
  return stack.send(key, { channelId: main, phone: freshPhone(), text: `olá ${ref}` });
}

function inState(ref: Ref, status: string, count: number) {
  return waitUntil(`${count} deliveries of ${ref} are ${status}`, async () => {
    const found = await deliveriesOf(stack, orgs[ref].ref, '--status', status);
    return found.length === count ? found : null;
  });
}

/** The secrets for which each of the two signatures holds. */
async function signedBy({ headers, bytes }: Received, secrets: readonly string[]) {
  const body = bytes.toString('utf8');
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const given = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const service: string[] = [];
  const standard: string[] = [];
  for (const secret of secrets) {
    if (await verify(secret, body, String(headers['x-service-signature']))) service.push(secret);
    assert.ok(given['webhook-signature']);
    if (holds(() => new Webhook(secret).verify(body, given))) standard.push(secret);
  }
  return { service, standard };
}

function holds(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    assert.ok(error instanceof Error);
    return false;
  }
}

describe('orders about subscriptions and deliveries', { concurrency: true }, () => {
  test('410 disables; what comes meanwhile is parked, enabling sends only what is new', async () => {
    subscriber.answer('/gone', () => 410);
    await send('gone');
    await inState('gone', 'failed', 1);
    await waitUntil(
      'it is disabled',
      async () => (await subscriptionsOf(stack, orgs.gone.ref))[0]?.enabled === false,
    );
    assert.equal((await subscriptionsOf(stack, orgs.gone.ref))[0]?.disabledReason, 'gone');
    await send('gone');
    const [parked] = await inState('gone', 'parked', 1);
    assert.deepEqual(parked?.attempts, []);
    subscriber.answer('/gone', () => 200);
    const [subscription] = await subscriptionsOf(stack, orgs.gone.ref);
    assert.deepEqual(await stack.ask('subscriptions', 'enable', 'gone', '--org', orgs.gone.ref), {
      id: subscription?.id,
      enabled: true,
    });
    await send('gone');
    await inState('gone', 'succeeded', 1);
    assert.equal(subscriber.at('/gone').length, 2);
    const range = ['--subscription', 'gone', '--org', orgs.gone.ref, '--since', '1h'];
    assert.deepEqual(await stack.ask('deliveries', 'retry', ...range), { retried: 2 });
    await inState('gone', 'succeeded', 3);
    assert.equal(subscriber.at('/gone').length, 4);
  });

  test('after a rotation both secrets hold for a day, the service signature is the newest', async () => {
    const [{ id } = { id: '' }] = await subscriptionsOf(stack, orgs.turning.ref);
    const first = named(orgs.turning.applied.subscriptions, 'turning').secret ?? '';
    await send('turning');
    const [before] = await subscriber.until('/turning', 1);
    assert.ok(before);
    assert.deepEqual(await signedBy(before, [first]), { service: [first], standard: [first] });
    const schema = v.object({ id: v.string(), secret: v.string(), previousValidUntil: v.string() });
    const rotate = async () => v.parse(schema, await stack.ask('subscriptions', 'rotate', id));
    const second = await rotate();
    assert.match(second.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const hours = (Date.parse(second.previousValidUntil) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24);
    const third = await rotate();
    await send('turning');
    const [, after] = await subscriber.until('/turning', 2);
    assert.ok(after);
    const all = [first, second.secret, third.secret];
    assert.deepEqual(await signedBy(after, all), { service: [third.secret], standard: all });
    const shown = JSON.stringify(
      await stack.ask('subscriptions', 'list', '--org', orgs.turning.ref),
    );
    assert.ok(
      all.every((secret) => !shown.includes(secret)),
      'told once',
    );
  });

  test('a retry by range takes what failed or was parked in it, and nothing else', async () => {
    subscriber.answer('/ranged', () => 410);
    await send('ranged');
    const [failed] = await inState('ranged', 'failed', 1);
    await waitUntil(
      'it is disabled',
      async () => (await subscriptionsOf(stack, orgs.ranged.ref))[0]?.enabled === false,
    );
    for (const _ of [1, 2, 3]) await send('ranged');
    const parked = (await inState('ranged', 'parked', 3)).reverse();
    subscriber.answer('/ranged', () => 200);
    const times = parked.map(({ createdAt }) => createdAt);
    const range = (since = '', until = '') =>
      stack.ask(
        'deliveries',
        'retry',
        '--subscription',
        'ranged',
        '--since',
        since,
        '--until',
        until,
      );
    assert.deepEqual(await range(times[0], times[1]), { retried: 2 });
    const succeeded = await inState('ranged', 'succeeded', 2);
    assert.deepEqual(
      pluck(succeeded, 'id').toSorted(),
      parked
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    );
    assert.deepEqual(await range(failed?.createdAt, times[2]), { retried: 2 });
    await inState('ranged', 'succeeded', 4);
    assert.deepEqual(await range(failed?.createdAt, times[2]), { retried: 0 });
    for (const wrong of [
      ['--since', '1h'],
      ['--subscription', 'ranged'],
      ['--until', '1h'],
    ]) {
      assert.equal(
        (await stack.recado(['deliveries', 'retry', ...wrong])).code,
        2,
        wrong.join(' '),
      );
    }
  });

  test('a test event goes to one subscription, now, and is recorded', async () => {
    const schema = v.object({
      event: v.string(),
      status: v.string(),
      attempts: v.array(v.object({ status: v.nullable(v.number()) })),
    });
    const run = async (code: number) => {
      const ran = await stack.recado(['--json', 'subscriptions', 'test', 'tested']);
      assert.equal(ran.code, code, ran.stderr);
      return v.parse(schema, JSON.parse(ran.stdout));
    };
    const attempts = [{ status: 200 }];
    const event = 'subscription.test';
    assert.deepEqual(await run(0), { event, status: 'succeeded', attempts });
    const [received] = subscriber.at('/tested');
    const secret = named(orgs.tested.applied.subscriptions, 'tested').secret ?? '';
    assert.ok(received);
    assert.equal(received.headers['x-service-event'], event);
    assert.deepEqual(await signedBy(received, [secret]), { service: [secret], standard: [secret] });
    subscriber.answer('/tested', () => 503);
    assert.deepEqual(await run(1), { event, status: 'failed', attempts: [{ status: 503 }] });
    assert.equal((await deliveriesOf(stack, orgs.tested.ref)).length, 2);
    const unknown = await stack.recado(['subscriptions', 'test', 'nobody']);
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  });
});
