/** Events of an entry that changes who is assigned, or whether the conversation is resolved (D429). */
import { type OutboxEvent, timestamp } from '../../shared/wire/outbox.ts';
import type { ConversationState } from '../domain/conversation/conversation.ts';
import { type ConversationFact, factsOf } from '../domain/conversation/facts.ts';
import type { Environment } from '../environment.ts';
import type { Audience } from '../organization/audience.ts';
import { showConversations } from './show.ts';
import type { Cause } from './turns/cause.ts';

interface EventParts {
  readonly environment: Pick<Environment, 'store'>;
  readonly audience: Pick<Audience, 'isHearing'>;
}

export interface ChangedEntry {
  readonly id: string;
  readonly before: ConversationState | null;
  readonly after: ConversationState;
  readonly cause: Cause;
  /** Of the request that caused it. */
  readonly requestId: string | undefined;
}

/** Part of the entry's outbox. None are read or made where nobody hears them. */
export async function eventsOf(
  { environment, audience }: EventParts,
  { id, before, after, cause, requestId }: ChangedEntry,
): Promise<readonly OutboxEvent[]> {
  const facts = factsOf(before, after);
  if (facts.length === 0) return [];
  const heard: ConversationFact[] = [];
  for (const fact of facts) {
    if (await audience.isHearing(after.orgId, fact.event)) heard.push(fact);
  }
  if (heard.length === 0) return [];
  const [conversation] = await showConversations(environment, after.orgId, [after]);
  const { origin, memberId } = cause;
  return heard.map(({ event, ...told }) => ({
    type: 'event',
    id: `${id}.${event}`,
    event,
    ...(requestId === undefined ? {} : { requestId }),
    data: { conversation, ...told, memberId, occurredAt: timestamp(after.at), origin },
  }));
}
