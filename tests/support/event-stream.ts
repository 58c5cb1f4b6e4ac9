/** A client of an event stream that knows nothing but HTTP and lines, as `curl` would. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { eventsIn, type StreamedEvent } from './event-text.ts';
import { waitFor } from './wait-for.ts';

export interface ReadingOptions {
  readonly key: string;
  /** Of the query. */
  readonly query?: Readonly<Record<string, string>>;
  readonly lastEventId?: string;
}

export interface ReadStream extends Disposable {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Whole events that have arrived. */
  readonly events: readonly StreamedEvent[];
  /** Everything as sent, comments too. */
  text(): string;
  isEnded(): boolean;
  /** The first event whose data contains the text. */
  about(text: string): Promise<StreamedEvent>;
  /** Resolves when the server has ended the response. */
  ended(): Promise<void>;
}

/** Connects, and reads until it is disposed. */
export async function readStream(baseUrl: string, options: ReadingOptions): Promise<ReadStream> {
  const { key, query = {}, lastEventId } = options;
  const asked = request(`${baseUrl}/api/v1/events?${new URLSearchParams(query)}`, {
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  }).end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  assert.ok(response);
  let text = '';
  let isEnded = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response.on('close', () => {
    isEnded = true;
  });
  // A stream that is disposed breaks off.
  response.on('error', () => undefined);
  const events = () => eventsIn(text);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    get events() {
      return events();
    },
    text: () => text,
    isEnded: () => isEnded,
    about: (wanted) =>
      waitFor(() => events().find(({ data }) => data.includes(wanted)), {
        what: `an event about ${wanted}`,
      }),
    ended: async () => void (await waitFor(() => isEnded, { what: 'the stream has ended' })),
    [Symbol.dispose]: () => void asked.destroy(),
  };
}
