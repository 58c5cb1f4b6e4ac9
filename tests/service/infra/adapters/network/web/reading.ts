/** Reads of the service for the tests of the networks, by the phone of a contact. */
import assert from 'node:assert/strict';
import type { Organization } from '../../../../../support/organization.ts';
import type { Stack } from '../../../../../support/stack.ts';

/** The contact and their only conversation. */
export async function conversationOf(stack: Stack, { key }: Organization, phone: string) {
  const contact = await stack.contact(key, phone);
  assert.ok(contact, `${phone} is a contact`);
  const { data } = await stack.conversations(key, `?contactId=${contact.id}`);
  const [conversation] = data;
  assert.ok(conversation && data.length === 1, 'there is one conversation');
  return { contact, conversation };
}

/** The history of that conversation, oldest first. */
export async function historyOf(stack: Stack, org: Organization, phone: string) {
  const { conversation } = await conversationOf(stack, org, phone);
  return (await stack.history(org.key, conversation.id)).reverse();
}

/** The texts that the network accepted for a contact, in order. */
export async function arrived(stack: Stack, to: string): Promise<(string | null)[]> {
  return (await stack.network.sent(to)).map(({ text }) => text);
}
