/** What a kind of actor is to the runtime. */
import type { Answer, Command } from '../../shared/ports.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import type { RefusedWebhooks } from '../channel/refused-webhooks.ts';

export interface TurnContext {
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** The command was asked before: look first whether it has been committed. */
  readonly repeat: boolean;
  /** Epoch under which this process owns the actor's partition. */
  readonly epoch: number;
}

/** One actor in memory. Its state is a cache: it may be dropped between any two turns. */
export interface Actor {
  /** One command, alone. Throws StaleState when a commit lost against another owner. */
  turn(command: Command, context: TurnContext): Promise<Answer>;
  /**
   * Shared handler of commands that need no commit (admission, webhooks in transit): it runs
   * outside the mailbox, concurrently with turns. Undefined: the command takes its turn.
   */
  sharedHandler?(command: Command, context: TurnContext): Answer | Promise<Answer> | undefined;
  /** Work in memory that forbids forgetting the actor now. */
  busy?(): boolean;
  /** Its state is not worth keeping for a next turn: it is forgotten once nothing waits. */
  readonly disposable?: boolean;
  /** Written down before the partition is handed over. */
  flush?(): Promise<void>;
  /** The partition is released or the state is stale: forget everything. */
  close?(): void;
}

export interface Kind {
  readonly kind: ActorKind;
  /** `stale`: the last turn met newer data than the actor had loaded. */
  open(key: string, epoch: number, stale: boolean): Actor;
  /** Recovers the work that a crash of the previous owner left; runs beside new asks. */
  acquire?(partition: number, epoch: number): Promise<void>;
  /** Recovers the work of the previous owner's late writes, which landed after `acquire`. */
  recoverLate?(partition: number, epoch: number): Promise<void>;
  /** In-doubt recovery: a turn failed without an answer of the store, and may have committed.
   * Recovers the actor as a new owner would. Throws when the store cannot say. */
  recover?(key: string, epoch: number): Promise<void>;
  /** Writes down what is still to be written for a partition before it is handed over. */
  flush?(partition: number): Promise<void>;
  release?(partition: number): void;
  nudge?(partition: number, payload: unknown): void;
  /** Actors here whom something outside restricts, for the operators. */
  restricted?(): number;
  /** Channels here whose webhooks fail their check, for the operators. */
  refusedWebhooks?(): readonly RefusedWebhooks[];
}

/** A commit met newer data than it was decided on: reload, decide again (I7). */
export class StaleState extends Error {
  constructor(what: string) {
    super(`stale state: ${what}`);
    this.name = 'StaleState';
  }
}
