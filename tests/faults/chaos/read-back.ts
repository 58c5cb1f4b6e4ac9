/** Reads back what a load has left, and adds it to the load's history. */
import assert from 'node:assert/strict';
import type { Message } from '../../../shared/api/message.ts';
import { named } from '../../support/applied.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { LoadFixture } from './load-fixture.ts';
import { everyMessage } from './messages.ts';
import { accountOf, missingOf } from './missing.ts';

/**
 * A conversation, once the last of its messages was published.
 * @throws {Error} with what can be said of it, when an accepted message is not there at once
 */
export async function readConversation(
  fixture: LoadFixture,
  phone: string,
): Promise<readonly Message[]> {
  const { stack, org, load } = fixture;
  const contact = await stack.contact(org.key, phone);
  const { data } = await stack.conversations(org.key, `?contactId=${contact?.id}`);
  const [conversation] = data;
  assert.ok(conversation !== undefined && data.length === 1, `${phone} has one conversation`);
  const { id: conversationId, status } = conversation;
  const read = await everyMessage(stack, org, conversationId);
  const missing = missingOf(load.recorder.history, phone, read.messages);
  if (missing.length > 0) assert.fail(await accountOf(fixture, conversationId, missing));
  const { messages, total } = await waitFor(
    async () => {
      const found = await everyMessage(stack, org, conversationId);
      return found.messages.some((message) => message.status === 'queued') ? null : found;
    },
    { what: `nothing of ${conversationId} is queued` },
  );
  assert.equal(total, messages.length, `the total of ${conversationId} counts what is there`);
  load.recorder.seen('read-conversation', { phone, conversationId, status, messages });
  return messages;
}

/** The simulator tells texts, which are told apart by worker and counter. */
export async function readNetwork(
  fixture: LoadFixture,
  phone: string,
  messages: readonly Message[],
): Promise<void> {
  const settled = async () => {
    const sent = await fixture.stack.network.sent(phone);
    return new Set(sent.map(({ text }) => text)).size >= messages.length ? sent : null;
  };
  const sent = await waitFor(settled, { what: `all of ${phone} sent` });
  for (const { to, text, externalId } of sent) {
    const messageId = messages.find((message) => message.text === text)?.id ?? null;
    fixture.load.recorder.seen('network-accepted', { to, text, externalId, messageId });
  }
}

export async function readEvents(
  fixture: LoadFixture,
  messages: readonly Message[],
): Promise<void> {
  const { subscriber, load, org } = fixture;
  const told = () => new Set(subscriber.received.map(({ data }) => String(data.messageId)));
  await waitFor(() => told().size >= messages.length, {
    what: 'message.sent of every message',
  });
  const { secret = '' } = named(org.applied.subscriptions, 'all');
  load.recorder.seen('subscription', { secret });
  for (const { delivery, bytes, headers } of subscriber.received) {
    load.recorder.seen('received', {
      delivery,
      event: String(headers['x-service-event']),
      bytes: bytes.toString('base64'),
      signature: String(headers['x-service-signature']),
      answered: 200,
    });
  }
}
