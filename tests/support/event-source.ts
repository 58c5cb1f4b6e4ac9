/** A reader of an event stream that goes on as a browser does, by `Last-Event-ID`. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

const AGAIN_MS = 100;

export interface SeenEvent {
  readonly id: string;
  readonly event: string;
  /** The bytes that a POST would carry. */
  readonly data: string;
}

export interface EventSource {
  /** Everything that arrived, repeats too, in order. */
  readonly seen: readonly SeenEvent[];
  /** Connections that were opened so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** @param url of the stream, read at each connection: a service may come back elsewhere */
export function openEventSource(url: () => string, key: string): EventSource {
  const seen: SeenEvent[] = [];
  const stopping = new AbortController();
  let connections = 0;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const last = seen.at(-1);
      const headers = {
        authorization: `Bearer ${key}`,
        ...(last ? { 'last-event-id': last.id } : {}),
      };
      try {
        const response = await fetch(url(), { headers, signal: stopping.signal });
        if (response.status === 200 && response.body) {
          connections++;
          await readEvents(response.body, seen);
        } else {
          assert.ok(response.status >= 500 || response.status === 429, `${response.status}`);
          await response.body?.cancel();
        }
      } catch (cause) {
        if (cause instanceof assert.AssertionError) throw cause;
      }
      await pause(AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    seen,
    get connections() {
      return connections;
    },
    close: () => {
      stopping.abort();
      return running;
    },
  };
}

async function readEvents(body: ReadableStream<Uint8Array>, seen: SeenEvent[]): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) seen.push(event);
    }
  }
}

/** Null for a comment, for `retry`, and for an event without an id. */
function eventOf(block: string): SeenEvent | null {
  const lines = block
    .split('\n')
    .map((line) => /^(?<field>\w+): ?(?<value>.*)$/.exec(line)?.groups);
  const of = (name: string): string | undefined =>
    lines.find((line) => line?.field === name)?.value;
  const [id, event = '', data = ''] = [of('id'), of('event'), of('data')];
  return id === undefined ? null : { id, event, data };
}
