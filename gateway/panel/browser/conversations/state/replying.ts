/** The message that the next one quotes: of one conversation, until it is sent or cancelled. */
import { signal } from '@preact/signals';
import type { Message } from '../../../../../shared/api/message.ts';

interface Replying {
  readonly conversationId: string;
  readonly message: Message;
}

const replying = signal<Replying | null>(null);

export function replyTo(conversationId: string, message: Message): void {
  replying.value = { conversationId, message };
}

export function cancelReply(): void {
  replying.value = null;
}

/** A message is quoted in its own conversation only. */
export function quotedIn(conversationId: string): Message | null {
  const current = replying.value;
  return current?.conversationId === conversationId ? current.message : null;
}
