/** Commands to conversations about their scheduled messages. */
import type { Command } from '../../shared/ports/bus.ts';

declare module '../../shared/wire/command-map.ts' {
  interface ConversationCommands {
    readonly 'settle-due': Exchange<SettleDue, SettledDue>;
    readonly 'show-released': Exchange<ShowReleased, Acknowledged>;
  }
}

/** The time of scheduled messages has come. */
export interface SettleDue extends Command {
  readonly type: 'settle-due';
}

export interface SettledDue {
  /** When the next scheduled message is due, epoch milliseconds; null: none is scheduled. */
  readonly next: number | null;
}

/** A message of a joined conversation was released: the one that stays shows it. */
export interface ShowReleased extends Command {
  readonly type: 'show-released';
  readonly at: number;
  readonly preview: string;
}
