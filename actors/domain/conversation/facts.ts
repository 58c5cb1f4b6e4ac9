/**
 * What an entry changes that others are told of: who is assigned, and whether the conversation is
 * resolved (D429).
 *
 * 1. Every entry is compared with the state before it, whoever decided it: no way of change is
 *    left out.
 * 2. A conversation that leaves `resolved` is reopened, also into a flow.
 */
import type { ConversationState } from './conversation.ts';

export type ConversationFact =
  | {
      readonly event: 'conversation.assigned';
      readonly fromMemberId: string | null;
      readonly toMemberId: string | null;
    }
  | { readonly event: 'conversation.resolved' | 'conversation.reopened' };

type Attended = Pick<ConversationState, 'assignedTo' | 'status'>;

/** In the order in which they make sense: reopened, assigned, resolved. */
export function factsOf(before: Attended | null, after: Attended): readonly ConversationFact[] {
  const { assignedTo: from, status } = before ?? { assignedTo: null, status: 'open' };
  const { assignedTo: to } = after;
  const [was, is] = [status === 'resolved', after.status === 'resolved'];
  return [
    ...(was && !is ? [{ event: 'conversation.reopened' } as const] : []),
    ...(from === to
      ? []
      : [{ event: 'conversation.assigned', fromMemberId: from, toMemberId: to } as const]),
    ...(is && !was ? [{ event: 'conversation.resolved' } as const] : []),
  ];
}
