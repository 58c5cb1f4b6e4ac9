/**
 * Turns of a flow and a contact that answers as fast as a program: another bot, or a number of this
 * installation. Without a bound the two would answer each other for ever (D411).
 *
 * 1. A turn is a contact's message within 2 s of ours, and a flow's message after it.
 * 2. At the 10th turn within 60 s automation pauses, in the entry of that flow's message. A note in
 *    an entry of its own reports it.
 * 3. The turns are part of the state, and so of entries that are written anyway. A conversation
 *    whose contact takes longer has none.
 */
import { MEMBER_ANSWER_PAUSE_MS } from '../../../shared/limits.ts';
import type { Command } from '../../../shared/ports/bus.ts';

export const QUICK_TURNS_MAX = 10;
export const QUICK_TURNS_WITHIN_MS = 60_000;
export const QUICK_AFTER_MS = 2_000;

export interface QuickTurns {
  /** The contact's message of a turn has come, the flow's has not. */
  readonly open: boolean;
  /** Ends of turns, epoch milliseconds, in order. */
  readonly ends: readonly number[];
}

/** To the conversation, from the entry that paused it. */
export interface NotePause extends Command {
  readonly type: 'note-pause';
  readonly flowName: string;
}

/** What a conversation's state has of its talk. */
interface Talk {
  readonly lastMessageAt: number;
  readonly lastMessageSeq?: number;
  readonly queuedSeq: number;
  readonly automationPausedUntil: number | null;
  readonly quickTurns?: QuickTurns;
}

/** The turns after a contact's message; absent where there are none. */
type Turns = Pick<Talk, 'quickTurns'>;

/** @param before the state before the contact's message */
export function turnsAfterContact(before: Talk, now: number): Turns {
  const open = before.quickTurns?.open === true || isQuick(before, now);
  return turnsOf({ open, ends: endsOf(before, now) });
}

/** The last message is one that was queued for the network, and not older than 2 s. */
function isQuick({ lastMessageSeq, queuedSeq, lastMessageAt }: Talk, now: number): boolean {
  return queuedSeq > 0 && lastMessageSeq === queuedSeq && now - lastMessageAt <= QUICK_AFTER_MS;
}

interface AfterFlow {
  readonly turns: Turns;
  /** Where this turn was one too many. */
  readonly pausedUntil: number | null;
}

export function turnsAfterFlow(before: Talk, now: number): AfterFlow {
  const { quickTurns, automationPausedUntil } = before;
  if (quickTurns?.open !== true) {
    return { turns: quickTurns ? { quickTurns } : {}, pausedUntil: null };
  }
  const ends = [...endsOf(before, now), now];
  if (ends.length < QUICK_TURNS_MAX) {
    return { turns: turnsOf({ open: false, ends }), pausedUntil: null };
  }
  const pausedUntil = Math.max(automationPausedUntil ?? 0, now + MEMBER_ANSWER_PAUSE_MS);
  return { turns: {}, pausedUntil };
}

function endsOf({ quickTurns }: Talk, now: number): readonly number[] {
  return (quickTurns?.ends ?? []).filter((end) => now - end < QUICK_TURNS_WITHIN_MS);
}

function turnsOf(turns: QuickTurns): Turns {
  return turns.open || turns.ends.length > 0 ? { quickTurns: turns } : {};
}

/** The note of the pause. */
export function quickTurnsNote(flowName: string): string {
  return (
    `Automação pausada por 30 minutos: o fluxo "${flowName}" e o contato responderam um ao outro ` +
    `${QUICK_TURNS_MAX} vezes em um minuto, cada vez em até 2 segundos, como dois robôs fazem.`
  );
}
