/** What became of the accepted messages: at the network, and at the subscriber. */

export interface Verdict {
  /** Accepted messages that never arrived. */
  readonly lost: number;
  /** Arrivals of a message after its first. */
  readonly doubled: number;
  /** Messages that first arrived after a later one of their conversation. */
  readonly outOfOrder: number;
}

/** The messages are numbered; those of one conversation have the same `number % conversations`. */
export interface Arrived {
  readonly accepted: readonly number[];
  /** In the order of arrival. */
  readonly numbers: readonly number[];
  readonly conversations: number;
}

export function verdictOf({ accepted, numbers, conversations }: Arrived): Verdict {
  const arrived = new Set<number>();
  const last = new Map<number, number>();
  let outOfOrder = 0;
  for (const number of numbers) {
    if (arrived.has(number)) continue;
    arrived.add(number);
    const conversation = number % conversations;
    if (number < (last.get(conversation) ?? -1)) outOfOrder++;
    else last.set(conversation, number);
  }
  const lost = accepted.filter((number) => !arrived.has(number)).length;
  return { lost, doubled: numbers.length - arrived.size, outOfOrder };
}

export function sumOf(verdicts: readonly Verdict[]): Verdict {
  const of = (pick: (verdict: Verdict) => number): number =>
    verdicts.reduce((sum, verdict) => sum + pick(verdict), 0);
  return {
    lost: of(({ lost }) => lost),
    doubled: of(({ doubled }) => doubled),
    outOfOrder: of(({ outOfOrder }) => outOfOrder),
  };
}
