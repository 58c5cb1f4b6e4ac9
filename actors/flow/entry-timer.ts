/** Timer of a conversation's run: it moves with the last entry. */

import type { Store } from '../../shared/ports/store.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { ConversationState } from '../domain/conversation.ts';
import { timerOf } from '../domain/flow/run.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { FlowParts } from './parts.ts';

interface TimerParts {
  readonly environment: Environment;
  readonly flows: FlowParts;
}

/** A lost clear is harmless: a timer that is not of the last entry clears itself. */
export function updateTimer(
  { environment, flows }: TimerParts,
  before: ConversationState | null,
  entry: EntryDocument,
): void {
  const { conversationId, orgId, seq, timer } = entry;
  const entryId = before ? flows.timers.entryIdOf(conversationId, before.seq) : undefined;
  if (timer) flows.timers.add({ entryId: entry._id, conversationId, orgId, seq, at: timer.at });
  if (!before || timerOf(before) === null) return;
  const place = { conversationId, seq: before.seq, ...(entryId ? { _id: entryId } : {}) };
  clearTimer(environment.store, place).catch((cause: unknown) => {
    environment.log.warn(
      { conversationId, error: describe(cause) },
      'clearing a flow timer failed',
    );
  });
}

export async function clearTimer(
  store: Store,
  place: { readonly conversationId: string; readonly seq: number; readonly _id?: string },
): Promise<void> {
  const { _id, conversationId, seq } = place;
  const filter = _id === undefined ? { conversationId, seq } : { _id };
  await store.commit([{ update: 'entries', filter, change: { $unset: { timer: '' } } }], {
    deferrable: true,
  });
}

/**
 * Blocks the next step until the entry's commands to other actors are published; the returned
 * function ends the block.
 */
export function blockFlow(
  { flows }: TimerParts,
  entry: EntryDocument,
  outbox: readonly OutboxItem[],
): () => void {
  const waits = entry.after.run && outbox.some(({ type }) => type === 'command');
  return waits ? flows.timers.block(entry.conversationId) : () => undefined;
}
