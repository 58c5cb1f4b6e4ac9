/**
 * Typing shown while a run waits before its next message (docs/flows.md). Best effort: it is asked
 * once, after the entry is committed, and nothing waits for it.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { ShowPresence } from '../channel/api.ts';
import type { EntryDocument } from '../conversation/api.ts';
import type { ConversationState } from '../domain/conversation.ts';
import type { Run } from '../domain/flow/run.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { lastReceived } from './last-received.ts';

/** Shows it where the entry has brought the run to a delay with typing. Never rejects. */
export async function showTyping(
  environment: Environment,
  before: ConversationState | null,
  { after }: Pick<EntryDocument, 'after'>,
): Promise<void> {
  const { run, channelId } = after;
  if (run?.phase.kind !== 'delay' || run.phase.typing !== true) return;
  if (isSameVisit(before?.run, run)) return;
  const { bus, clock, log } = environment;
  try {
    const { externalId, fullId } = (await lastReceived(environment.store, after))?.message ?? {};
    // The network shows it as a reaction to a message of the contact.
    if (!externalId) return;
    const command: ShowPresence = {
      id: `${run.id}-${run.visit}-typing`,
      type: 'show-presence',
      presence: {
        to: after.networkId ?? after.contact.phone,
        shows: 'typing',
        message: { externalId, ...(fullId === undefined ? {} : { fullId }), fromMe: false },
      },
      until: run.phase.until,
    };
    const to = { kind: 'channel', key: channelId } as const;
    await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
  } catch (fault) {
    log.warn({ channelId, error: describe(fault) }, 'typing not shown');
  }
}

function isSameVisit(before: Run | null | undefined, { id, visit }: Run): boolean {
  return before?.id === id && before.visit === visit;
}
