/**
 * IPC of metrics from a role to its supervisor. The channel works while NATS is down, and reaches
 * only this supervisor's own processes.
 *
 * 1. The channel does not keep a process alive: a role ends by itself.
 * 2. A role that does not answer in time is left out; a late answer is ignored.
 */
import type { ChildProcess } from 'node:child_process';

interface MetricsQuestion {
  readonly metrics: 'ask';
  readonly number: number;
}

interface MetricsAnswer {
  readonly metrics: 'said';
  readonly number: number;
  readonly text: string;
}

/** The supervisor's side; null when the process does not answer within the timeout. */
export function askForMetrics(child: ChildProcess, timeoutMs: number): Promise<string | null> {
  if (!child.connected) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const number = ++questions;
  const end = (text: string | null) => {
    clearTimeout(timer);
    child.off('message', onMessage);
    child.off('disconnect', abandon);
    resolve(text);
  };
  const onMessage = (message: unknown) => {
    if (isMetricsAnswer(message) && message.number === number) end(message.text);
  };
  const abandon = () => end(null);
  const timer = setTimeout(abandon, timeoutMs);
  child.on('message', onMessage);
  child.once('disconnect', abandon);
  const question: MetricsQuestion = { metrics: 'ask', number };
  child.send(question, (error) => {
    if (error) abandon();
  });
  return promise;
}

let questions = 0;

/** The role's side. */
export function answerOverIpc(read: () => Promise<string>, failed: (error: unknown) => void): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return;
    read().then((text) => {
      const answer: MetricsAnswer = { metrics: 'said', number: message.number, text };
      process.send?.(answer, undefined, undefined, (error: Error | null) => {
        if (error) failed(error);
      });
    }, failed);
  });
  process.channel?.unref();
}

function isQuestion(message: unknown): message is MetricsQuestion {
  return Reflect.get(Object(message), 'metrics') === 'ask';
}

function isMetricsAnswer(message: unknown): message is MetricsAnswer {
  return Reflect.get(Object(message), 'metrics') === 'said';
}
