/**
 * Asks of a process that are under way: a command runs once, however often it is asked meanwhile.
 *
 * 1. A repeat waits for the first ask's answer, and gets it.
 * 2. A refusal that callers have received is the answer of a late repeat too: it must not succeed.
 */
import type { Answer, IncomingAsk } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { CompletionRecords } from './mailbox.ts';
import { hopsOf } from './turn.ts';

export class AsksUnderWay {
  readonly #waiting = new Map<string, IncomingAsk[]>();
  readonly #refusals: CompletionRecords;

  constructor(clock: Clock) {
    this.#refusals = new CompletionRecords(clock);
  }

  refusalOf({ command }: IncomingAsk): Answer | null {
    return this.#refusals.find(command.id);
  }

  /** The ask to run, whose answer is that of its repeats. Null when it is under way already. */
  join(ask: IncomingAsk): IncomingAsk | null {
    // An admitted ask must not get the answer of one that may be refused.
    const admitted = ask.admission ? `${ask.command.id} riding` : ask.command.id;
    // A forwarded command has the same id: it must not wait for the ask that it answers.
    const { kind, key } = ask.address;
    const id = `${admitted} ${kind} ${key} ${hopsOf(ask.command).length}`;
    const waiting = this.#waiting.get(id);
    if (waiting) {
      waiting.push(ask);
      return null;
    }
    this.#waiting.set(id, [ask]);
    return {
      ...ask,
      answer: (answer) => {
        const asks = this.#waiting.get(id) ?? [ask];
        this.#waiting.delete(id);
        if (answer && isRefusal(ask, answer)) this.#refusals.keep(ask.command.id, answer);
        for (const each of asks) each.answer(answer);
      },
    };
  }
}

/** A command that was not run for its admission is decided anew, unlike the admission itself. */
function isRefusal(ask: IncomingAsk, { status, admission }: Answer): boolean {
  if (ask.admission || !admission) return status >= 400 && status < 500;
  return admission.outcome === 'unauthorized' || admission.outcome === 'rate-limited';
}
