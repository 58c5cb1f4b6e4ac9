/** Decision of a send: a key's message is automation's, a member's is an answer of that member. */
import { MEMBER_ANSWER_PAUSE_MS } from '../../shared/limits.ts';
import type { Command } from '../../shared/ports/bus.ts';
import type { SendMessage } from '../../shared/wire/commands.ts';
import { type Accepted, type ConversationState, decideSend } from '../domain/conversation.ts';
import { decideReply } from '../domain/member-actions.ts';
import type { DraftContent } from '../domain/outbound-content.ts';

export interface Outbound {
  readonly command: Pick<SendMessage, 'authorLabel' | 'origin'> & Pick<Command, 'by'>;
  readonly draft: DraftContent;
}

export function decideOutbound(
  state: ConversationState,
  { command: { authorLabel, origin, by }, draft }: Outbound,
  now: number,
): Accepted {
  const { memberId: id, name } = by ?? { memberId: null, name: '' };
  if (id === null) return decideSend(state, { ...draft, authorLabel, origin }, now);
  const reply = { ...draft, author: { id, name }, pauseMs: MEMBER_ANSWER_PAUSE_MS };
  return decideReply(state, reply, now);
}
