/** Decision of a send: a key's message is automation's, a member's is an answer of that member. */
import { MEMBER_ANSWER_PAUSE_MS } from '../../shared/limits.ts';
import type { Command } from '../../shared/ports/bus.ts';
import type { SendMessage } from '../../shared/wire/commands.ts';
import { type Accepted, type ConversationState, decideSend } from '../domain/conversation.ts';
import { decideReply } from '../domain/member-actions.ts';

export function decideOutbound(
  state: ConversationState,
  { text, attached, authorLabel, origin, by }: SendMessage & Pick<Command, 'by'>,
  now: number,
): Accepted {
  const { kind, media } = attached ?? ({ kind: 'text', media: null } as const);
  const draft = { text: text || null, kind, media };
  const { memberId: id, name } = by ?? { memberId: null, name: '' };
  if (id === null) return decideSend(state, { ...draft, authorLabel, origin }, now);
  const reply = { ...draft, author: { id, name }, pauseMs: MEMBER_ANSWER_PAUSE_MS };
  return decideReply(state, reply, now);
}
