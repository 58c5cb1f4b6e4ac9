/** A conversation's messages, page by page. */
import * as v from 'valibot';
import { ListMessagesAnswer, type Message } from '../../../shared/api/message.ts';
import type { Stack } from '../../support/stack.ts';

const PAGE = 200;

export interface Listed {
  /** Oldest first. */
  readonly messages: readonly Message[];
  readonly total: number;
}

export async function everyMessage(
  stack: Stack,
  { key }: { readonly key: string },
  id: string,
): Promise<Listed> {
  const messages: Message[] = [];
  for (let page = 1; ; page++) {
    const path = `/api/v1/messages?conversationId=${id}&limit=${PAGE}&page=${page}`;
    const { json } = await stack.request('GET', path, { key });
    const { data, total } = v.parse(ListMessagesAnswer, json);
    messages.push(...data);
    if (data.length < PAGE) return { messages: messages.reverse(), total };
  }
}
