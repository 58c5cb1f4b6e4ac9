/**
 * Threads that work off orders. A thread that takes too long or breaks is ended, and its order
 * given `null` for an answer; a new one takes its place.
 */
import { Worker } from 'node:worker_threads';

/** Code loaded for a mutation stays in memory: after so many orders comes a new thread. */
const ORDERS_MAX = 250;
/** The number of a thread that ended between two orders. */
const ENDED = -1;
const TRIALS = new URL('./thread.ts', import.meta.url);

export interface Answered<T> {
  readonly answer: T | null;
  readonly ended: 'answered' | 'overdue' | 'broken';
}

export interface Order<T> {
  readonly message: unknown;
  readonly deadlineMs: number;
  readonly done: (answered: Answered<T>) => void;
}

export async function workOff<T>(
  orders: Iterable<Order<T>>,
  threads: number,
  program = TRIALS,
): Promise<void> {
  const left = orders[Symbol.iterator]();
  const one = async (): Promise<void> => {
    let worker: Worker | null = null;
    let given = 0;
    for (let next = left.next(); !next.done; next = left.next()) {
      const order = next.value;
      if (worker === null || worker.threadId === ENDED) {
        [worker, given] = [openThread(program), 0];
      }
      const answered = await give<T>(worker, order);
      given += 1;
      if (answered.ended !== 'answered' || given >= ORDERS_MAX) {
        await worker.terminate();
        [worker, given] = [null, 0];
      }
      order.done(answered);
    }
    await worker?.terminate();
  };
  await Promise.all(Array.from({ length: threads }, one));
}

function openThread(program: URL): Worker {
  // Without what the tests are loaded by: coverage tells places of the texts as they are written.
  const worker = new Worker(program, { stdout: true, stderr: true, execArgv: [] });
  worker.stdout.resume();
  worker.stderr.resume();
  // Between two orders too: what a mutation left behind may throw whenever it likes.
  worker.on('error', () => undefined);
  return worker;
}

async function give<T>(worker: Worker, order: Order<T>): Promise<Answered<T>> {
  const { promise, resolve } = Promise.withResolvers<Answered<T>>();
  const timer = setTimeout(() => resolve({ answer: null, ended: 'overdue' }), order.deadlineMs);
  const onMessage = (answer: T): void => resolve({ answer, ended: 'answered' });
  const onError = (): void => resolve({ answer: null, ended: 'broken' });
  worker.once('message', onMessage).once('error', onError).once('exit', onError);
  worker.postMessage(order.message);
  const answered = await promise;
  clearTimeout(timer);
  worker.off('message', onMessage).off('error', onError).off('exit', onError);
  return answered;
}
