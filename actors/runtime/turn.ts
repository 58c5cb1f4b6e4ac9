/**
 * Turn of an actor: the handler of its command, the errors that it ends with, and the forwarding of
 * an ask that another actor answers.
 *
 * 1. The other actor is asked outside of the mailbox: no turn waits for it. So two actors that
 *    forward to each other never wait for each other.
 * 2. A command lists the actors that it has passed, at most `HOPS_MAX`.
 */
import type {
  AddressedCommand,
  Answer,
  AnswerOf,
  BodyOf,
  Bus,
  Command,
  CommandOf,
  IncomingAsk,
} from '../../shared/ports/bus.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { WriteOutcome } from '../../shared/ports/store.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import type { CommandMap } from '../../shared/wire/command-map.ts';
import { StaleState, type TurnContext } from './kind.ts';

/** One handler for each command of a kind, by type; `Self` is the actor. */
export type Handlers<Of extends ActorKind, Self> = {
  readonly [Type in keyof CommandMap[Of]]: (
    self: Self,
    command: CommandOf<Of, Type>,
    context: TurnContext,
  ) => Promise<AnswerOf<BodyOf<Of, Type>>>;
};

type Handler<Self, Sent> = (self: Self, command: Sent, context: TurnContext) => Promise<Answer>;

/** @throws {TypeError} for a type that the kind does not know */
export function handlerOf<Of extends ActorKind, Self>(
  handlers: Handlers<Of, Self>,
  { type }: Command,
): Handler<Self, CommandOf<Of>> {
  if (!Object.hasOwn(handlers, type)) throw new TypeError(`an actor knows no command ${type}`);
  // The handler under a command's type has that command as its parameter.
  return handlers[type as keyof typeof handlers] as Handler<Self, CommandOf<Of>>;
}

/** A chain of forwarding actors is short. A longer one is about to change, and is followed anew. */
const HOPS_MAX = 16;

export class Forwarded extends Error {
  readonly addressed: AddressedCommand;

  constructor(addressed: AddressedCommand) {
    super(`answered by ${addressed.to.kind} ${addressed.to.key}`);
    this.name = 'Forwarded';
    this.addressed = addressed;
  }
}

/** Actors that the command has passed, the first one first. */
export function hopsOf({ via = [] }: Pick<Command, 'via'>): readonly string[] {
  return via;
}

interface Forwarding {
  readonly ask: IncomingAsk;
  readonly forwarded: Forwarded;
  readonly repeat: boolean;
}

/** Answers null, so that the caller asks again, after too many hops or a failed ask. */
export function forwardAsk(
  { bus, log }: { readonly bus: Pick<Bus, 'ask'>; readonly log: Log },
  { ask, forwarded: { addressed }, repeat }: Forwarding,
): void {
  const { to, command } = addressed;
  const { deadline, requestId, address } = ask;
  const via = [...hopsOf(command), address.key];
  if (via.length > HOPS_MAX) return ask.answer(null);
  const next = { ...command, via, ...(repeat ? { again: true } : {}) };
  const options = { deadline, ...(requestId === undefined ? {} : { requestId }) };
  bus.ask(to, next, options).then(ask.answer, (cause: unknown) => {
    log.warn({ ...to, error: String(cause) }, 'forwarded command was not answered');
    ask.answer(null);
  });
}

/** Whether the command was already a repeat for the actor that forwarded it. */
export function isForwardedRepeat({ again }: Pick<Command, 'again'>): boolean {
  return again === true;
}

/** The write itself is refused (a document that is too large, a bad value), and would be again. */
export class WriteRefused extends Error {
  constructor(what: string, options: ErrorOptions) {
    super(`the store refused ${what}`, options);
    this.name = 'WriteRefused';
  }
}

/** The outbox cannot be published: no more items are committed until it is. */
export class Overloaded extends Error {
  constructor(what: string) {
    super(`the outbox of ${what} is full`);
    this.name = 'Overloaded';
  }
}

/**
 * Returns if the write was committed.
 * @throws StaleState for a duplicate, WriteRefused for a lasting error, and the store's own error
 * for a transient one
 */
export function assertCommitted(outcome: WriteOutcome | undefined, what: string): void {
  if (outcome?.ok) return;
  if (!outcome || 'duplicate' in outcome) throw new StaleState(what);
  const { error, lasting } = outcome;
  throw lasting ? new WriteRefused(what, { cause: error }) : error;
}
