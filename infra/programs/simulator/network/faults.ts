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
  /** Bare digits: only sends to this contact meet it. */
  to: v.optional(v.string()),
  /** The HTTP status of the refusal; alone or with `code` the send is not accepted. */
  status: v.optional(v.pipe(count, v.minValue(300), v.maxValue(599))),
  /** The network's own error code. */
  code: v.optional(count),
  /**
   * A proxy answers with `status` and a page: before Graph to the send, without Graph's error;
   * before a bridge to every call of the session, and no send is accepted.
   */
  proxy: v.optional(v.boolean()),
  /** `cloud`: the error is marked as transient. */
  transient: v.optional(v.boolean()),
  /** `web`: the words of the exception, with a status of 500, or of the refusal. */
  message: v.optional(v.string()),
  /** `web`: the answer of an engine that does not have the call. */
  unsupported: v.optional(v.boolean()),
  /** Accepts the send, which is delivered, and refuses it all the same. */
  acceptFirst: v.optional(v.boolean()),
  /** `web`: accepts the send and answers 201 with an empty body. */
  emptyAnswer: v.optional(v.boolean()),
  /** `web`: applies to look-ups of messages, in place of sends. */
  lookups: v.optional(v.boolean()),
  /** `web`: the bridge does not have the session. */
  missing: v.optional(v.boolean()),
  /** `web`: the bridge holds the call this long before it looks at it, as it waits for a session. */
  holdMs: v.optional(count),
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
  /** `cloud`: with `code`, accepts the send and reports the code in a status. */
  asStatus: v.optional(v.boolean()),
  /** How many sends it applies to. */
  times: v.optional(v.pipe(count, v.minValue(1))),
});

export type Fault = v.InferOutput<typeof FaultSchema>;

interface Planned {
  limited: { readonly fault: Fault; left: number }[];
  lasting: Fault | null;
}

type IsTo = (digits: string) => boolean;

const toNobody: IsTo = () => false;

function meets(fault: Fault | null, isTo: IsTo): boolean {
  return fault !== null && (fault.to === undefined || isTo(fault.to));
}

export class Faults {
  #planned = new Map<string, Planned>();

  add(number: string, fault: Fault): void {
    const planned = this.#planned.get(number) ?? { limited: [], lasting: null };
    this.#planned.set(number, planned);
    if (fault.times === undefined) planned.lasting = fault;
    else planned.limited.push({ fault, left: fault.times });
  }

  /**
   * The fault that the next send of the number meets; uses one of its times up.
   * @param isTo whether it is a send to the contact of those digits
   */
  consume(number: string, isTo = toNobody): Fault | null {
    const planned = this.#planned.get(number);
    if (planned === undefined) return null;
    const at = planned.limited.findIndex(({ fault }) => meets(fault, isTo));
    const next = planned.limited[at];
    if (next === undefined) return meets(planned.lasting, isTo) ? planned.lasting : null;
    next.left -= 1;
    if (next.left === 0) planned.limited.splice(at, 1);
    return next.fault;
  }

  /** The same without using it up: for questions that are no sends. */
  peek(number: string): Fault | null {
    const planned = this.#planned.get(number);
    const next = planned?.limited.find(({ fault }) => meets(fault, toNobody))?.fault;
    const lasting = planned?.lasting ?? null;
    return next ?? (meets(lasting, toNobody) ? lasting : null);
  }

  /** All of them, or those of the sends to one contact. */
  withdraw(to: string | undefined): void {
    if (to === undefined) return this.#planned.clear();
    for (const planned of this.#planned.values()) {
      planned.limited = planned.limited.filter(({ fault }) => fault.to !== to);
      if (planned.lasting?.to === to) planned.lasting = null;
    }
  }
}

/** The key of the faults of a session's look-ups. */
export function lookupKey(session: string): string {
  return `lookups:${session}`;
}

/** The key of the proxy before a session's bridge. */
export function proxyKey(session: string): string {
  return `proxy:${session}`;
}

/** The key of a number's faults: sessions and phone number ids never collide. */
export function numberKey(provider: 'cloud' | 'web', numberOrSession: string): string {
  return `${provider}:${numberOrSession}`;
}
