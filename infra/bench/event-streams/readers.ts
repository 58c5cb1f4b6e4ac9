/** Open event streams in a separate process: plain HTTP clients that note when events arrive. */
import * as v from 'valibot';
import { freePort } from '../../programs/service/supervisor/ports.ts';
import type { ChildProcesses } from '../child-processes.ts';

const ReadersSchema = v.object({
  /** Of the gateway. */
  port: v.number(),
  reportPort: v.number(),
  /** Each opens `names` streams. */
  tokens: v.array(v.string()),
  names: v.number(),
});
type ReadersPlan = v.InferOutput<typeof ReadersSchema>;

/** Delays in milliseconds, from the time that an event carries to its arrival. */
const ArrivedSchema = v.object({ open: v.number(), delays: v.array(v.number()) });
export type Arrived = v.InferOutput<typeof ArrivedSchema>;

export interface Readers {
  arrived(): Promise<Arrived>;
  close(): Promise<void>;
}

export function parseReadersPlan(text: string): ReadersPlan {
  return v.parse(ReadersSchema, JSON.parse(text));
}

/** Resolves when every stream is open. */
export async function openReaders(
  children: ChildProcesses,
  wanted: Omit<ReadersPlan, 'reportPort'>,
): Promise<Readers> {
  const reportPort = await freePort('127.0.0.1');
  const plan: ReadersPlan = { ...wanted, reportPort };
  const args = ['infra/bench/event-streams/readers-process.ts', JSON.stringify(plan)];
  const process = await children.start({ args, readyOutput: 'open' });
  return {
    arrived: async () =>
      v.parse(ArrivedSchema, await (await fetch(`http://127.0.0.1:${reportPort}/`)).json()),
    close: () => process.stop(),
  };
}
