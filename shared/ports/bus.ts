/** The bus: asks and queries with an answer, nudges without one, and the side of the owners. */
import type { ActorKind } from '../vocabulary.ts';
import type { AnswerRest } from '../wire/answer-rest.ts';
import type { ActingPerson } from '../wire/audit.ts';
import type { Admission, AdmitCommand } from '../wire/caller.ts';
import type { CommandMap, Exchange } from '../wire/command-map.ts';
import type { PayloadOf, QueryMap, Resource } from '../wire/query-map.ts';

/** Where an ask goes: the owner of the partition which `key` falls into. */
export interface Address<Kind extends ActorKind = ActorKind> {
  readonly kind: Kind;
  readonly key: string;
}

/** Answer of an actor or a query: the gateway copies it out unparsed. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** By the organization's owner; a command that carried its admission ran only if `admitted`. */
  readonly admission?: Admission;
  /** The body continues with the answer to this query, and so on: no process holds it whole. */
  readonly rest?: AnswerRest;
}

/** An answer whose successful body is the JSON of a `Body`: `bodyOf` parses it. */
export interface AnswerOf<Body> extends Answer {
  /** Never set: it carries the type. */
  readonly parsed?: Body;
}

/** A call's admission that is sent with its command: one hop instead of two. */
export interface PiggybackedAdmission {
  readonly orgId: string;
  readonly command: AdmitCommand;
}

export interface AskOptions {
  /** Absolute wall-clock deadline, epoch milliseconds. */
  readonly deadline: number;
  readonly requestId?: string;
  /** The command runs only if the call is `admitted`: else the answer has its admission alone. */
  readonly admission?: PiggybackedAdmission;
  /** An earlier ask of the command may have run: its answer is unknown. */
  readonly repeat?: boolean;
  /** Repeated only where no owner has received it: a lost answer is AskFailed at the deadline. */
  readonly once?: boolean;
}

/** A command to change state, addressed to one actor. */
export interface Command {
  /** Made by the gateway or derived; a repeated ask has the same one. */
  readonly id: string;
  readonly type: string;
  /** It may be repeated for a day: under an `Idempotency-Key`, or by an outbox. */
  readonly lasting?: boolean;
  /** The person or the AI assistant who asks; absent for other keys, networks, flows, programs. */
  readonly by?: ActingPerson;
  /** Actors that have forwarded it, the first one first. */
  readonly via?: readonly string[];
  /** It was a repeat for an actor that has forwarded it. */
  readonly again?: boolean;
}

/** The row of a type of command; of several kinds, the rows of all. */
type Row<Kind extends ActorKind, Type> = {
  readonly [Each in Kind]: CommandMap[Each][Type & keyof CommandMap[Each]];
}[Kind];

/** The commands of a kind of actor. */
export type CommandOf<Kind extends ActorKind = ActorKind, Type = unknown> =
  Row<Kind, Type> extends Exchange<infer Known, unknown> ? Known & Command : never;

/** Body of the successful answer to a type of command. */
export type BodyOf<Kind extends ActorKind, Type> =
  Row<Kind, Type> extends Exchange<unknown, infer Body> ? Body : never;

/** A command with the actor that it is for. */
export type AddressedCommand = {
  readonly [Kind in ActorKind]: { readonly to: Address<Kind>; readonly command: CommandOf<Kind> };
}[ActorKind];

/** Carries asks and nudges; loses, repeats and delays them at will. */
export interface Bus {
  /** Asks the actor's owner, repeats until the deadline (same command id). Throws AskFailed. */
  ask<Kind extends ActorKind, Sent extends CommandOf<Kind>>(
    address: Address<Kind>,
    command: Sent,
    options: AskOptions,
  ): Promise<AnswerOf<BodyOf<Kind, Sent['type']>>>;
  /** Asks any process that answers queries about the resource. */
  query<Each extends Resource>(
    resource: Each,
    payload: PayloadOf<Each>,
    options: AskOptions,
  ): Promise<AnswerOf<QueryMap[Each]['answer']>>;
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
  readonly command: CommandOf;
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
  askAll(topic: string, onAnswer: (answer: unknown) => void, payload?: unknown): () => void;
  /** An undefined answer is none. */
  answerAll(topic: string, answer: (payload: unknown) => Promise<unknown>): void;
  /** Makes every process read the members again, or those of some members alone. */
  announceMembers(to?: readonly string[]): void;
  /** @param onChange gets the members whom it concerns; null: all */
  onMembersAnnounced(onChange: (to: readonly string[] | null) => void): void;
  /** Makes askers repeat what waits for an owner; may be lost. */
  announceOwners(): void;
}
