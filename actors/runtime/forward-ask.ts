/**
 * Forwards an ask when another actor answers the command.
 *
 * 1. The other actor is asked outside of the mailbox: no turn waits for it. So two actors that
 *    forward to each other never wait for each other.
 * 2. A command lists the actors that it has passed, at most `HOPS_MAX`.
 */
import type { Address, Bus, Command, IncomingAsk } from '../../shared/ports/bus.ts';
import type { Log } from '../../shared/ports/log.ts';

/** A chain of forwarding actors is short. A longer one is about to change, and is followed anew. */
const HOPS_MAX = 16;

export class Forwarded extends Error {
  readonly to: Address;
  readonly command: Command;

  constructor(to: Address, command: Command) {
    super(`answered by ${to.kind} ${to.key}`);
    this.name = 'PassedOn';
    this.to = to;
    this.command = command;
  }
}

/** Actors that the command has passed, the first one first. */
export function hopsOf({ via }: Command): readonly string[] {
  return Array.isArray(via) ? via : [];
}

interface Forwarding {
  readonly ask: IncomingAsk;
  readonly forwarded: Forwarded;
  readonly repeat: boolean;
}

/**
 * Asks the other actor. Answers null, so that the caller asks again, after too many hops or a
 * failed ask.
 */
export function forwardAsk(
  { bus, log }: { readonly bus: Pick<Bus, 'ask'>; readonly log: Log },
  { ask, forwarded: { to, command }, repeat }: Forwarding,
): void {
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
export function isForwardedRepeat({ again }: Command): boolean {
  return again === true;
}
