/**
 * How a role tells its supervisor its metrics: over the channel that the two have anyway, so that
 * it works while NATS is away and reaches this supervisor's own processes and no others.
 *
 * 1. The channel holds no process up: a role ends when it wants to.
 * 2. A role that does not answer in time is left out; a late answer is nobody's.
 */
import type { ChildProcess } from 'node:child_process';

interface Question {
  readonly metrics: 'ask';
  readonly number: number;
}

interface Said {
  readonly metrics: 'said';
  readonly number: number;
  readonly text: string;
}

/** The supervisor's side; null when the process does not answer within the patience. */
export function askForMetrics(child: ChildProcess, patienceMs: number): Promise<string | null> {
  if (!child.connected) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const number = ++questions;
  const end = (text: string | null) => {
    clearTimeout(timer);
    child.off('message', hear);
    child.off('disconnect', giveUp);
    resolve(text);
  };
  const hear = (message: unknown) => {
    if (isSaid(message) && message.number === number) end(message.text);
  };
  const giveUp = () => end(null);
  const timer = setTimeout(giveUp, patienceMs);
  child.on('message', hear);
  child.once('disconnect', giveUp);
  const question: Question = { metrics: 'ask', number };
  child.send(question, (error) => {
    if (error) giveUp();
  });
  return promise;
}

let questions = 0;

/** The role's side. */
export function answerOverChannel(
  read: () => Promise<string>,
  failed: (error: unknown) => void,
): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return;
    read().then((text) => {
      const said: Said = { metrics: 'said', number: message.number, text };
      process.send?.(said, undefined, undefined, (error: Error | null) => {
        if (error) failed(error);
      });
    }, failed);
  });
  process.channel?.unref();
}

function isQuestion(message: unknown): message is Question {
  return Reflect.get(Object(message), 'metrics') === 'ask';
}

function isSaid(message: unknown): message is Said {
  return Reflect.get(Object(message), 'metrics') === 'said';
}
