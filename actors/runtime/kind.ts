/** The interfaces between the runtime and a kind of actor. */
import type { Answer, CommandOf } from '../../shared/ports/bus.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';

export interface TurnContext {
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** The command was asked before: check first whether it was committed. */
  readonly repeat: boolean;
  /** Epoch under which this process owns the actor's partition. */
  readonly epoch: number;
}

/** One actor in memory. Its state is a cache: it may be dropped between any two turns. */
export interface Actor<Of extends ActorKind = ActorKind> {
  /** Runs one command alone. Throws StaleState when a commit lost against another owner. */
  turn(command: CommandOf<Of>, context: TurnContext): Promise<Answer>;
  /**
   * Shared handler of commands that need no commit (admission, webhooks in transit): it runs
   * outside the mailbox, concurrently with turns. Undefined: the command waits for its turn.
   */
  sharedHandler?(
    command: CommandOf<Of>,
    context: TurnContext,
  ): Answer | Promise<Answer> | undefined;
  /** What the answer of the turn that has just ended waits for; the next turn does not. */
  answersAfter?(): Promise<unknown> | null;
  /** The organization that it is of, where its state tells; read after a turn, for operators. */
  readonly orgId?: string | undefined;
  /** Work in memory that forbids closing the actor now. */
  busy?(): boolean;
  /** Its state is not worth keeping for a next turn: it is closed once nothing waits. */
  readonly disposable?: boolean;
  /** Writes pending state before the partition is released. */
  flush?(): Promise<void>;
  /** The partition is released or the state is stale: drop everything. */
  close?(): void;
}

/** A channel whose webhooks fail verification. */
export interface RefusedWebhooks {
  readonly channelId: string;
  readonly ref: string;
  /** The setting of the channel that does not match the network's. */
  readonly setting: 'appSecret' | 'phone' | 'verifyToken' | 'webhookSecret';
  readonly count: number;
  /** Epoch milliseconds of the last refusal. */
  readonly at: number;
}

/** A channel with contacts' messages that were late, or looked late. */
export interface LateWebhooks {
  readonly channelId: string;
  readonly ref: string;
  /** Messages that were late, and how late the last one was. */
  readonly count: number;
  readonly lateMs: number;
  /** How far the clock of the network is behind ours, where that explains it; else 0. */
  readonly behindMs: number;
  /** Epoch milliseconds of the last one. */
  readonly at: number;
}

export interface Kind {
  readonly kind: ActorKind;
  /** `stale`: the last turn met newer data than the actor had loaded. */
  open(key: string, epoch: number, stale: boolean): Actor;
  /** Recovers the work that a crash of the previous owner left; runs beside new asks. */
  acquire?(partition: number, epoch: number): Promise<void>;
  /** Recovers the previous owner's late writes, which were committed after `acquire`. */
  recoverLate?(partition: number, epoch: number): Promise<void>;
  /** A turn failed and may be committed until then, monotonic milliseconds: see `recover`. */
  doubt?(key: string, until: number): void;
  /**
   * In-doubt recovery: a turn failed without an answer of the store, and may have committed.
   * Recovers the actor as a new owner would. Throws when the store gives no answer.
   */
  recover?(key: string, epoch: number): Promise<void>;
  /** Writes what is pending while the partition's asks are still answered: few are left to wait. */
  settle?(partition: number): Promise<void>;
  /** Writes a partition's pending state before it is released. */
  flush?(partition: number): Promise<void>;
  release?(partition: number): void;
  nudge?(partition: number, payload: unknown): void;
  /** Actors here that an outside party restricts, for the operators. */
  restricted?(): number;
  /** Channels here with webhooks that fail their check, for the operators. */
  refusedWebhooks?(): readonly RefusedWebhooks[];
  /** Channels here with late messages, for the operators. */
  lateWebhooks?(): readonly LateWebhooks[];
}

/** A commit met newer data than its decision was based on: reload, decide again (I7). */
export class StaleState extends Error {
  constructor(what: string) {
    super(`stale state: ${what}`);
    this.name = 'StaleState';
  }
}
