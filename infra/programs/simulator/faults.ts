/**
 * Faults of the simulated network, per number or session (C14.3).
 *
 * Faults with `times` are used up in the order in which they were set. One without `times` holds
 * until it is replaced or forgotten, and applies when none with `times` is left.
 */
import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000));

export const FaultSchema = v.object({
  phoneNumberId: v.optional(v.string()),
  session: v.optional(v.string()),
  /** The HTTP status of the refusal; alone or with `code` the send is not accepted. */
  status: v.optional(v.pipe(count, v.minValue(300), v.maxValue(599))),
  /** The network's own error code. */
  code: v.optional(count),
  /** `cloud`: the error is marked as transient. */
  transient: v.optional(v.boolean()),
  /** `web`: the words of the exception, with a status of 500, or of the refusal. */
  message: v.optional(v.string()),
  /** `web`: a 422 without the state of the session, as of a call that the engine does not have. */
  unsupported: v.optional(v.boolean()),
  /** Accepts the send, which is delivered, and refuses it all the same. */
  acceptFirst: v.optional(v.boolean()),
  /** `web`: accepts the send and answers 201 with an empty body. */
  emptyAnswer: v.optional(v.boolean()),
  /** `web`: applies to look-ups of messages, in place of sends. */
  lookups: v.optional(v.boolean()),
  /** The answer comes this much later; an accepted send is accepted at once. */
  delayMs: v.optional(count),
  /** No sent, delivered, read. */
  dropReceipts: v.optional(v.boolean()),
  /** Every receipt twice. */
  duplicateReceipts: v.optional(v.boolean()),
  /** Accepts the send, then tears the connection down instead of answering. */
  loseAnswer: v.optional(v.boolean()),
  /** Tears the connection down without accepting: for the sender it looks like `loseAnswer`. */
  loseRequest: v.optional(v.boolean()),
  /** Accepts the send, then reports it as failed with this code of the network. */
  failReceiptCode: v.optional(count),
  /** How many sends it applies to. */
  times: v.optional(v.pipe(count, v.minValue(1))),
});

export type Fault = v.InferOutput<typeof FaultSchema>;

interface Planned {
  readonly limited: { readonly fault: Fault; left: number }[];
  lasting: Fault | null;
}

export class Faults {
  #planned = new Map<string, Planned>();

  add(number: string, fault: Fault): void {
    const planned = this.#planned.get(number) ?? { limited: [], lasting: null };
    this.#planned.set(number, planned);
    if (fault.times === undefined) planned.lasting = fault;
    else planned.limited.push({ fault, left: fault.times });
  }

  /** The fault that the next send of the number meets; uses one of its times up. */
  consume(number: string): Fault | null {
    const planned = this.#planned.get(number);
    if (planned === undefined) return null;
    const [next] = planned.limited;
    if (next === undefined) return planned.lasting;
    next.left -= 1;
    if (next.left === 0) planned.limited.shift();
    return next.fault;
  }

  /** The same without using it up: for questions that are no sends. */
  peek(number: string): Fault | null {
    const planned = this.#planned.get(number);
    return planned?.limited[0]?.fault ?? planned?.lasting ?? null;
  }

  clear(): void {
    this.#planned.clear();
  }
}

/** The key of the faults of a session's look-ups. */
export function lookupKey(session: string): string {
  return `lookups:${session}`;
}

/** The key of a number's faults: sessions and phone number ids never collide. */
export function numberKey(provider: 'cloud' | 'web', numberOrSession: string): string {
  return `${provider}:${numberOrSession}`;
}
