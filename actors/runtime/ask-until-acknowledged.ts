/**
 * Repeats an ask until its owner acknowledges it or this process may not act.
 *
 * 1. Every repeat has the command's one id: an owner that ran it before answers as it did then.
 * 2. A refusal acknowledges too: the other actor has decided, and a repeat changes nothing.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Address, Answer, Bus, Command } from '../../shared/ports/bus.ts';
import type { Environment } from '../environment.ts';
import { describe } from './describe-fault.ts';

const RETRY_MS = 200;

interface Asking extends Pick<Environment, 'clock' | 'log'> {
  readonly bus: Pick<Bus, 'ask'>;
}

export interface RepeatedAsk {
  readonly to: Address;
  readonly command: Command;
  /** Asked before each try. */
  readonly mayAct: () => boolean;
  /** The log line of a try without an acknowledgement. */
  readonly failedMessage: string;
}

/** The answer, below 500; null where this process may not act any more. */
export async function askUntilAcknowledged(
  { bus, clock, log }: Asking,
  { to, command, mayAct, failedMessage }: RepeatedAsk,
): Promise<Answer | null> {
  const fields = { kind: to.kind, key: to.key, command: command.type };
  while (mayAct()) {
    try {
      const answer = await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
      if (answer.status < 500) return answer;
      log.warn({ ...fields, status: answer.status }, failedMessage);
    } catch (cause) {
      log.warn({ ...fields, error: describe(cause) }, failedMessage);
    }
    await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
  }
  return null;
}
