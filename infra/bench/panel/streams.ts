/** Open event streams in a separate process: plain HTTP clients that read and throw away. */
import * as v from 'valibot';
import { freePort } from '../../programs/service/supervisor/ports.ts';
import type { ChildProcesses } from '../child-processes.ts';

const StreamsSchema = v.object({
  /** Of the panel. */
  port: v.number(),
  reportPort: v.number(),
  count: v.number(),
  /** Of the sessions that hold them, in turn. */
  cookies: v.array(v.string()),
});
type StreamsPlan = v.InferOutput<typeof StreamsSchema>;

const HeardSchema = v.object({
  /** Streams that are open. */
  open: v.number(),
  /** Of these, the number that has heard a hint. */
  hinted: v.number(),
});
export type Heard = v.InferOutput<typeof HeardSchema>;

export interface Streams {
  heard(): Promise<Heard>;
  close(): Promise<void>;
}

export function parseStreamsPlan(text: string): StreamsPlan {
  return v.parse(StreamsSchema, JSON.parse(text));
}

/** Resolves when every stream is open. */
export async function openStreams(
  children: ChildProcesses,
  wanted: Omit<StreamsPlan, 'reportPort'>,
): Promise<Streams> {
  const reportPort = await freePort('127.0.0.1');
  const plan: StreamsPlan = { ...wanted, reportPort };
  const args = ['infra/bench/panel/streams-process.ts', JSON.stringify(plan)];
  const process = await children.start({ args, readyOutput: 'open' });
  return {
    heard: async () =>
      v.parse(HeardSchema, await (await fetch(`http://127.0.0.1:${reportPort}/`)).json()),
    close: () => process.stop(),
  };
}
