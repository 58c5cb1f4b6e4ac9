/** The bus: asks and queries with an answer, nudges without one, and the side of the owners. */
import type { ActorKind } from '../vocabulary.ts';
import type { AnswerRest } from '../wire/answer-rest.ts';

/** Where an ask goes: the owner of the partition which `key` falls into. */
export interface Address {
  readonly kind: ActorKind;
  readonly key: string;
}

/** Answer of an actor or a query: the gateway copies it out unparsed. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The admission by the organization's owner, when it was piggybacked. */
  readonly admission?: Answer;
  /** The body continues with the answer to this query, and so on: no process holds it whole. */
  readonly rest?: AnswerRest;
}

/** A call's admission that is sent with its command: one hop instead of two. */
export interface PiggybackedAdmission {
  readonly orgId: string;
  readonly command: Command;
}

export interface AskOptions {
  /** Absolute wall-clock deadline, epoch milliseconds. */
  readonly deadline: number;
  readonly requestId?: string;
  /**
   * The command runs only if the call is admitted as its gateway believes; else the answer's status
   * is NOT_RUN and `admission` is the admission's answer.
   */
  readonly admission?: PiggybackedAdmission;
}

/** A command to change state, addressed to one actor. */
export interface Command {
  /** Made by the gateway or derived; a repeated ask has the same one. */
  readonly id: string;
  readonly type: string;
  /** It may be repeated for a day: under an `Idempotency-Key`, or by an outbox. */
  readonly lasting?: boolean;
  readonly [field: string]: unknown;
}

/** Carries asks and nudges; loses, repeats and delays them at will. */
export interface Bus {
  /** Asks the actor's owner, repeats until the deadline (same command id). Throws AskFailed. */
  ask(address: Address, command: Command, options: AskOptions): Promise<Answer>;
  /** Asks any process that answers queries about the resource. */
  query(resource: string, payload: unknown, options: AskOptions): Promise<Answer>;
  /** Makes the actor's owner poll its agenda earlier; may be lost. */
  nudge(address: Address, payload: unknown): void;
  /** Whether the bus is connected. */
  connected(): boolean;
}

/** An ask did not get an answer before its deadline: its effect happened once or not at all. */
export class AskFailed extends Error {
  constructor(address: string, options?: ErrorOptions) {
    super(`no answer from ${address} before the deadline`, options);
    this.name = 'AskFailed';
  }
}

/** An ask as its owner sees it. */
export interface IncomingAsk {
  readonly address: Address;
  readonly command: Command;
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** It was asked before under the same command id: the first may have been committed. */
  readonly repeat: boolean;
  readonly admission?: PiggybackedAdmission | undefined;
  /** At most once; `null` means that this process does not own the actor. */
  answer(answer: Answer | null): void;
}

/** The side of the bus that only processes with actors have. */
export interface OwnerBus extends Bus {
  /** Receives the asks and nudges of a partition until the returned function is called. */
  own(
    partition: { readonly kind: ActorKind; readonly number: number },
    on: { ask(ask: IncomingAsk): void; nudge(payload: unknown): void },
  ): () => void;
  /** Answers queries about the resource, together with every other process that does. */
  answerQueries(resource: string, answer: (payload: unknown) => Promise<Answer>): void;
  /** Asks every process that answers on the topic; `onAnswer` may come any number of times until
   * the returned function is called. */
  askAll(topic: string, onAnswer: (answer: unknown) => void): () => void;
  answerAll(topic: string, answer: () => Promise<unknown>): void;
  /** Makes every process read the members again. */
  announceMembers(): void;
  onMembersAnnounced(onChange: () => void): void;
}
