/**
 * Fixture of one cell: a number of its own on the real service, behind one engine of the simulated
 * network. No cell sees another's faults, restrictions or breakers.
 */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import type { Message } from '../../../../../../shared/api/message.ts';
import { freshPhone, type Sent } from '../../../../../support/api.ts';
import type { NetworkMessage } from '../../../../../support/network.ts';
import type { Organization } from '../../../../../support/organization.ts';
import type { Stack } from '../../../../../support/stack.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { type Engine, providerOf } from './target.ts';

export type ControlRequest = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly id: string;
  readonly contactName: string | null;
  readonly unread: number;
  /** Automation is. */
  readonly paused: boolean;
  readonly preview: string | null;
}

export class Fixture {
  readonly engine: Engine;
  readonly stack: Stack;
  readonly org: Organization;
  /** A contact of this cell alone. */
  readonly phone = freshPhone();

  constructor(engine: Engine, stack: Stack, org: Organization) {
    this.engine = engine;
    this.stack = stack;
    this.org = org;
  }

  get key(): string {
    return providerOf(this.engine) === 'cloud' ? this.org.mainKey : this.org.shopKey;
  }

  get channelId(): string {
    return providerOf(this.engine) === 'cloud' ? this.org.main : this.org.shop;
  }

  /** How the simulator's control names the number. */
  get number(): ControlRequest {
    const { phoneNumberId, session } = this.org;
    return providerOf(this.engine) === 'cloud' ? { phoneNumberId } : { session };
  }

  /** A text that no other cell sends. */
  text(words: string): string {
    return `${words} (${this.org.ref})`;
  }

  send(text: string, phone = this.phone): Promise<Sent> {
    return this.stack.send(this.key, { phone, text });
  }

  /** One control of the simulator; fails as long as it has none of that name. */
  control(path: string, request: ControlRequest = {}): Promise<unknown> {
    return this.stack.network.control(`POST ${path}`, request);
  }

  async fault(request: ControlRequest): Promise<void> {
    await this.control('/faults', { ...this.number, ...request });
  }

  /** The contact writes; resolves with the network's id once the webhook was answered. */
  async inbound(request: ControlRequest): Promise<string> {
    const { channelId, phone: from } = this;
    const answer = await this.control('/inbound', { channelId, from, ...request });
    return v.parse(v.object({ id: v.string() }), answer).id;
  }

  /** Messages that the network took with exactly that text, in order. */
  async accepted(text: string): Promise<NetworkMessage[]> {
    return (await this.stack.network.sent()).filter((each) => each.text === text);
  }

  /** The message once it is in one of these states. */
  reaches(sent: Sent, ...statuses: readonly Message['status'][]): Promise<Message> {
    return this.until(`${sent.messageId} is ${statuses.join(' or ')}`, async () => {
      const message = await this.message(sent);
      return message && statuses.includes(message.status) ? message : null;
    });
  }

  async message({ conversationId, messageId }: Sent): Promise<Message | undefined> {
    const history = await this.stack.history(this.key, conversationId);
    return history.find(({ id }) => id === messageId);
  }

  /** Oldest first. */
  async history(phone = this.phone): Promise<readonly Message[]> {
    const [conversation, ...others] = await this.conversations(phone);
    assert.equal(others.length, 0, 'one person has one conversation');
    if (conversation === undefined) return [];
    return (await this.stack.history(this.key, conversation.id)).reverse();
  }

  async conversations(phone = this.phone): Promise<readonly Conversation[]> {
    const contact = await this.stack.contact(this.org.key, phone);
    if (contact === null) return [];
    const query = `?contactId=${contact.id}`;
    const { data } = await this.stack.conversations(this.org.key, query);
    return data.map(({ id, contact, unread, automationPausedUntil, lastMessagePreview }) => ({
      ...{ id, contactName: contact.name, unread, paused: automationPausedUntil !== null },
      preview: lastMessagePreview,
    }));
  }

  /** Texts of everything in the account's conversations, so that doubles cannot hide elsewhere. */
  async everywhere(): Promise<readonly (string | null)[]> {
    const { data } = await this.stack.conversations(this.org.key);
    const histories = await Promise.all(data.map(({ id }) => this.stack.history(this.org.key, id)));
    return histories.flat().map(({ text }) => text);
  }

  async channel() {
    const channels = await this.stack.channels(this.key);
    const channel = channels.find(({ id }) => id === this.channelId);
    assert.ok(channel, 'the channel is shown');
    return channel;
  }

  until<T>(what: string, ask: () => T | Promise<T>) {
    return waitUntil(`${this.engine}: ${what}`, ask);
  }
}
