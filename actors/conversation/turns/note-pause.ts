/** Handler of the note that reports a pause; its entry is named after the command. */

import { appendNote } from '../../domain/conversation/conversation.ts';
import { type NotePause, quickTurnsNote } from '../../domain/conversation/quick-turns.ts';
import type { Conversation } from './conversation.ts';

export async function notePause(
  conversation: Conversation,
  { id, flowName }: NotePause,
): Promise<void> {
  const { clock, ids } = conversation.parts.environment;
  const state = (await conversation.load()) ?? (await conversation.log.loadFromLog());
  if (!state) return;
  const author = { kind: 'automation', label: flowName } as const;
  const note = { text: quickTurnsNote(flowName), author, origin: 'flow' } as const;
  await conversation.commit(ids.derive('msg', id), appendNote(state, note, clock.now()));
}
