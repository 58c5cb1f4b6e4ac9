/** A page that listens: it collects the hints of its stream of Server-Sent Events. */
import assert from 'node:assert/strict';
import * as v from 'valibot';

const HintsSchema = v.object({
  hints: v.array(v.object({ kind: v.string(), id: v.string(), seq: v.number() })),
});
const TypingSchema = v.object({
  conversationId: v.string(),
  member: v.object({ id: v.string(), name: v.string() }),
});
type Typing = v.InferOutput<typeof TypingSchema>;
type PageHint = v.InferOutput<typeof HintsSchema>['hints'][number];

export interface OpenPage {
  readonly hints: readonly PageHint[];
  readonly typing: readonly Typing[];
  readonly resyncs: number;
  /** The server has told that the session has ended. */
  readonly signedOut: boolean;
  /** The server has ended the stream. */
  readonly closed: boolean;
  close(): void;
}

class Page implements OpenPage {
  readonly hints: PageHint[] = [];
  readonly typing: Typing[] = [];
  resyncs = 0;
  signedOut = false;
  closed = false;
  readonly #abort: AbortController;

  constructor(abort: AbortController) {
    this.#abort = abort;
  }

  close(): void {
    this.#abort.abort();
  }

  async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#take(event);
    }
  }

  #take(event: string): void {
    if (event.includes('event: resync')) this.resyncs += 1;
    if (event.includes('event: ended')) this.signedOut = true;
    const { name, data } = /^event: (?<name>\w+)\ndata: (?<data>.*)$/m.exec(event)?.groups ?? {};
    if (data === undefined) return;
    if (name === 'hint') this.hints.push(...v.parse(HintsSchema, JSON.parse(data)).hints);
    if (name === 'typing') this.typing.push(v.parse(TypingSchema, JSON.parse(data)));
  }
}

interface Opening {
  /** `name=value` of the session. */
  readonly cookie: string;
  /** That the operator looks at. */
  readonly organization?: string;
}

export async function openPage(url: string, { cookie, organization }: Opening): Promise<OpenPage> {
  const abort = new AbortController();
  const query = organization === undefined ? '' : `?organization=${organization}`;
  const response = await fetch(`${url}/panel/api/events${query}`, {
    headers: { cookie },
    signal: abort.signal,
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.ok(response.body);
  const page = new Page(abort);
  const end = () => {
    page.closed = true;
  };
  // The connection may be cut, by the server or by `close`.
  page.read(response.body).then(end, end);
  return page;
}
