/**
 * Times as the pictures show them. Each act of the story has a time of its own there. A time that
 * the service told during an act is shown as that act's time; nothing else of an answer's times
 * changes.
 */

const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const MINUTE_MS = 60_000;

interface Act {
  /** When it began, by the service's clock. */
  readonly at: number;
  readonly shownAt: number;
}

export class ShownTimes {
  readonly #acts: Act[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** From here on the service's times are shown as this one. */
  begin(shown: string): void {
    this.#acts.push({ at: this.#now(), shownAt: Date.parse(shown) });
  }

  /** A text with every time in it as it is shown. */
  in(text: string): string {
    return text.replace(ISO, (time) => new Date(this.#shownOf(Date.parse(time))).toISOString());
  }

  #shownOf(at: number): number {
    const begun = this.#acts.filter((act) => act.at <= at);
    const last = begun.at(-1);
    // A day that the story itself names, such as a task's.
    if (last === undefined) return at;
    return at <= this.#now() ? last.shownAt : timerOf(at, begun);
  }
}

/** A timer rings whole minutes after the act that has set it. */
function timerOf(at: number, acts: readonly Act[]): number {
  const past = ({ at: began }: Act) => (at - began) % MINUTE_MS;
  const setter = acts.reduce((best, act) => (past(act) < past(best) ? act : best));
  return setter.shownAt + (at - setter.at) - past(setter);
}
