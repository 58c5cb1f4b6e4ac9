/** Outbound events, delivered to a real subscriber (C6, D37). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { freshPhone, type Sent } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import { arrivals, assertSigned, deliveriesOf, untilListed } from '../../support/delivery.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import type { Received } from '../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** Of a service that is lent. */
const WAITS_MS = [100, 200, 300, 400, 500, 600];
const GIVEN_SECRET = 'a-secret-that-the-caller-chose';
const SIX_FIELDS = ['messageId', 'conversationId', 'phone', 'text', 'channelId', 'occurredAt'];
const REFS = ['every', 'named', 'failing', 'flaky', 'gone', 'slow', 'redirect', 'resend'] as const;

type Ref = (typeof REFS)[number];

const stack = useStack();
const subscriber = useSubscriber();
const orgs = useOrganizations(stack, () => {
  const one = (ref: Ref, events: readonly string[] = ['*']) => ({
    subscriptions: [{ ref, url: `${subscriber.url}/${ref}`, events }],
  });
  const extensions = ['message.read', 'message.delivered', 'message.failed'];
  return {
    every: {
      subscriptions: [
        { ref: 'every', url: `${subscriber.url}/every`, events: ['*'] },
        { ref: 'given', url: `${subscriber.url}/given`, events: ['*'], secret: GIVEN_SECRET },
      ],
    },
    named: one('named', extensions),
    failing: one('failing', ['message.sent']),
    flaky: one('flaky', ['message.sent']),
    gone: one('gone', ['message.sent']),
    slow: one('slow', ['message.sent']),
    redirect: one('redirect', ['message.sent']),
    resend: one('resend', ['message.sent']),
  };
});

function send(ref: Ref, text: string, phone = freshPhone()): Promise<Sent> {
  const { key, main } = orgs[ref];
  return stack.send(key, { channelId: main, phone, text });
}

const { about, untilAbout } = arrivals(() => subscriber);
const deliveries = (ref: Ref, ...more: string[]) => deliveriesOf(stack, orgs[ref].ref, ...more);
const delivery = (ref: Ref, id: string, status: string) =>
  untilListed(stack, { ref: orgs[ref].ref, id, status });

describe('what is delivered (contract section 6)', () => {
  test('message.sent of a send: the six fields first, signed for both kinds of verifier', async () => {
    const phone = freshPhone();
    const sent = await send('every', 'olá evento', phone);
    const secret = named(orgs.every.applied?.subscriptions ?? {}, 'every').secret ?? '';
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const [path, key] of [
      ['/every', secret],
      ['/given', GIVEN_SECRET],
    ] as const) {
      const [received] = await untilAbout(path, sent.messageId);
      assert.ok(received);
      assert.deepEqual([received.method, received.event], ['POST', 'message.sent']);
      assert.equal(received.headers['x-service-event'], 'message.sent');
      assert.match(String(received.headers['content-type']), /^application\/json/);
      const json = JSON.parse(received.bytes.toString('utf8'));
      assert.deepEqual(Object.keys(json).slice(0, 2), ['event', 'data']);
      assert.deepEqual(Object.keys(received.data).slice(0, 6), SIX_FIELDS);
      const { messageId, conversationId, text, channelId, occurredAt, origin } = received.data;
      assert.deepEqual({ messageId, conversationId, channelId }, sent);
      assert.deepEqual([received.data.phone, text, origin], [phone, 'olá evento', 'api']);
      assert.match(String(occurredAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      await assertSigned(received, key);
    }
    const [ofEvery] = about('/every', sent.messageId);
    const [ofGiven] = about('/given', sent.messageId);
    assert.notEqual(ofEvery?.delivery, ofGiven?.delivery, 'a delivery of its own for each');
  });

  test('message.received when the contact writes, with its six fields', async () => {
    const phone = freshPhone();
    const { main: channelId } = orgs.every;
    await stack.network.inbound({ channelId, from: phone, text: 'quero saber' });
    const [received] = await untilAbout('/every', phone);
    assert.equal(received?.event, 'message.received');
    assert.deepEqual(Object.keys(received?.data ?? {}).slice(0, 6), SIX_FIELDS);
    const { text, origin } = received?.data ?? {};
    assert.deepEqual([text, origin], ['quero saber', 'contact']);
    await assertSigned(
      received as Received,
      named(orgs.every.applied?.subscriptions ?? {}, 'every').secret ?? '',
    );
  });

  test('contact.opt_out by the API, once: said again it is no event', async () => {
    const phone = freshPhone();
    const { key } = orgs.every;
    const body = { phone, optIn: false };
    for (const _ of [1, 2]) await stack.call('POST', '/api/v1/contacts', { key, body });
    const [received] = await untilAbout('/every', phone);
    assert.equal(received?.event, 'contact.opt_out');
    const { contact, origin, occurredAt } = received?.data ?? {};
    assert.equal(Reflect.get(Object(contact), 'phone'), phone);
    assert.deepEqual([origin, typeof occurredAt], ['api', 'string']);
    await stack.call('POST', '/api/v1/contacts', { key, body: { phone, optIn: true } });
    await stack.call('POST', '/api/v1/contacts', { key, body });
    assert.equal((await untilAbout('/every', phone, 2)).length, 2, 'opted in and out again');
  });

  test('contact.opt_out by the single word SAIR, whatever the case; a sentence does not', async () => {
    const { main: channelId, key } = orgs.every;
    const [leaves, stays] = [freshPhone(), freshPhone()];
    await stack.network.inbound({ channelId, from: stays, text: 'quero sair agora' });
    await stack.network.inbound({ channelId, from: leaves, text: 'sair' });
    const received = await untilAbout('/every', leaves, 2);
    assert.deepEqual(received.map(({ event }) => event).sort(), [
      'contact.opt_out',
      'message.received',
    ]);
    const contact = await stack.contact(key, leaves);
    assert.deepEqual([contact?.optIn, contact?.source], [false, 'contact']);
    assert.ok(contact?.optOutAt);
    assert.equal((await stack.contact(key, stays))?.optOutAt, null);
    await stack.send(key, { channelId, phone: leaves, text: 'o envio pela API continua' });
  });

  test('one event per transition: receipts and repeats make no second message.sent', async () => {
    const { key } = orgs.every;
    const sent = await send('every', 'uma vez');
    await stack.messageIn(key, sent, 'read');
    await untilAbout('/every', sent.messageId);
    const mark = await send('every', 'marca');
    await untilAbout('/every', mark.messageId);
    assert.equal(about('/every', sent.messageId).length, 1);
  });

  test('extensions are delivered only by name', async () => {
    const { key } = orgs.named;
    const sent = await send('named', 'com nome');
    await stack.messageIn(key, sent, 'read');
    const received = await untilAbout('/named', sent.messageId, 2);
    assert.deepEqual(received.map(({ event }) => event).sort(), [
      'message.delivered',
      'message.read',
    ]);
    await stack.network.fault({ phoneNumberId: orgs.named.phoneNumberId, code: 131047, times: 1 });
    const failed = await send('named', 'recusada');
    const [event] = await untilAbout('/named', failed.messageId);
    assert.equal(event?.event, 'message.failed');
    assert.ok(subscriber.at('/every').every((each) => !/failed|read$/.test(each.event)));
  });
});

describe('what happens when it cannot be delivered (decisions: Deliveries)', {
  concurrency: true,
}, () => {
  test('six retries with growing waits, the same id and bytes each time, then failed', async () => {
    subscriber.answer('/failing', () => 500);
    const { messageId } = await send('failing', 'não chega');
    const attempts = await untilAbout('/failing', messageId, 7);
    const [first] = attempts;
    assert.ok(first);
    const listed = await delivery('failing', first.delivery, 'failed');
    assert.equal(listed.attempts.length, 7);
    assert.ok(listed.attempts.every(({ status, error }) => status === 500 && error !== null));
    assert.equal(listed.nextAttemptAt, null);
    assert.equal(about('/failing', messageId).length, 7, 'and no eighth');
    for (const each of attempts) {
      assert.equal(each.delivery, first.delivery);
      assert.ok(each.bytes.equals(first.bytes), 'identical bytes');
      await assertSigned(
        each,
        named(orgs.failing.applied?.subscriptions ?? {}, 'failing').secret ?? '',
      );
    }
    const waits = attempts.slice(1).map((each, index) => each.at - (attempts[index]?.at ?? 0));
    for (const [index, waited] of waits.entries()) {
      const least = 0.9 * (WAITS_MS[index] ?? 0);
      assert.ok(waited >= least - 5, `wait ${index + 1}: ${Math.round(waited)} ms`);
    }
  });

  test('a failure followed by a success is delivered once more and then left alone', async () => {
    let attempts = 0;
    subscriber.answer('/flaky', () => {
      attempts += 1;
      return attempts < 3 ? 503 : 204;
    });
    const { messageId } = await send('flaky', 'na terceira');
    const [first] = await untilAbout('/flaky', messageId, 3);
    const listed = await delivery('flaky', first?.delivery ?? '', 'succeeded');
    assert.deepEqual(pluck(listed.attempts, 'status'), [503, 503, 204]);
    assert.equal(about('/flaky', messageId).length, 3);
  });

  test('a redirect is a failure and is not followed', async () => {
    subscriber.answer('/redirect', () => 302);
    const { messageId } = await send('redirect', 'desvio');
    await untilAbout('/redirect', messageId, 2);
  });

  test('410 disables the subscription; later events are recorded, not sent', async () => {
    subscriber.answer('/gone', () => 410);
    const { messageId } = await send('gone', 'acabou');
    const [only] = await untilAbout('/gone', messageId);
    await delivery('gone', only?.delivery ?? '', 'failed');
    const subscriptions = await waitUntil('the subscription is disabled', async () => {
      const schema = v.object({
        data: v.array(v.object({ id: v.string(), enabled: v.boolean() })),
      });
      const answer = await stack.ask('subscriptions', 'list', '--org', orgs.gone.ref);
      const { data } = v.parse(schema, answer);
      return data[0]?.enabled === false ? data : null;
    });
    assert.equal(subscriptions.length, 1);
    const later = await send('gone', 'fica guardada');
    await stack.messageIn(orgs.gone.key, later, 'read');
    const parked = await waitUntil(
      'a parked delivery',
      async () => (await deliveries('gone', '--status', 'parked'))[0] ?? null,
    );
    assert.deepEqual(parked.attempts, []);
    assert.equal(about('/gone', later.messageId).length, 0);
    assert.equal(about('/gone', messageId).length, 1);
  });

  test('a subscriber that hangs delays nobody else, and its attempt times out after 10 s', async () => {
    subscriber.answer('/slow', () => 'hang');
    const { messageId } = await send('slow', 'espera');
    const [first] = await untilAbout('/slow', messageId);
    const other = await send('every', 'rápida');
    await untilAbout('/every', other.messageId);
    assert.equal(about('/slow', messageId).length, 1, 'it hangs still');
    subscriber.answer('/slow', () => 200);
    const [, second] = await untilAbout('/slow', messageId, 2);
    const waited = (second?.at ?? 0) - (first?.at ?? 0);
    assert.ok(waited > 9_900, `${Math.round(waited)} ms`);
    const listed = await delivery('slow', first?.delivery ?? '', 'succeeded');
    assert.deepEqual(pluck(listed.attempts, 'status'), [null, 200]);
  });

  test('the command line shows a delivery with its body and sends it again by hand', async () => {
    subscriber.answer('/resend', () => 500);
    const { messageId } = await send('resend', 'de novo, por favor');
    const [first] = await untilAbout('/resend', messageId, 7);
    const id = first?.delivery ?? '';
    await delivery('resend', id, 'failed');
    const shown = v.parse(
      v.object({ id: v.string(), status: v.string(), body: v.string() }),
      await stack.ask('deliveries', 'show', id),
    );
    assert.deepEqual([shown.id, shown.body], [id, first?.bytes.toString('utf8')]);
    subscriber.answer('/resend', () => 200);
    assert.deepEqual(await stack.ask('deliveries', 'retry', id), { retried: 1 });
    const again = (await untilAbout('/resend', messageId, 8)).at(-1);
    assert.equal(again?.delivery, id);
    assert.ok(again?.bytes.equals(first?.bytes ?? Buffer.alloc(0)));
    await delivery('resend', id, 'succeeded');
    assert.deepEqual(await stack.ask('deliveries', 'retry', id), { retried: 0 });
    const range = ['--subscription', 'resend', '--org', orgs.resend.ref, '--since', '1h'];
    assert.deepEqual(await stack.ask('deliveries', 'retry', ...range), { retried: 0 });
    const unknown = await stack.recado(['--json', 'deliveries', 'retry', 'dlv_unknown']);
    assert.equal(unknown.code, 2);
  });
});
