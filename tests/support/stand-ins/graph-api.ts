/**
 * A Cloud API of a test's own, which comes and goes on one port. It is strict about files. It
 * requires a length and a whole body, knows an upload only by the id that it gave, and counts the
 * uploads. The test can hold it, make it forget, or answer in its place.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { systemClock } from '../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../infra/adapters/network/networks.ts';
import { parseRecord, recordAt, textAt } from '../../../infra/adapters/network/webhook-body.ts';
import { parseUpload } from '../../../infra/programs/simulator/http/multipart.ts';
import type { NetworkDriver } from '../../../shared/ports/network.ts';
import { type Arrived, json, type Opened, type Reply, record, respond, serve } from './server.ts';

/** Runs with a driver whose calls reach `reply`; leaves nothing behind. */
export async function withGraphApi<T>(
  reply: (arrived: Arrived, origin: string) => Reply,
  run: (driver: NetworkDriver, url: string) => Promise<T>,
): Promise<T> {
  await using server = await record((arrived) => reply(arrived, server.url));
  const networks = createNetworks({ clock: systemClock, resolveBaseUrl: () => server.url });
  try {
    return await run(networks.driver('cloud'), server.url);
  } finally {
    await networks.close();
  }
}

interface Upload {
  readonly number: string;
  readonly sha256: string;
}

export class GraphApi {
  /** Of the messages that were taken. */
  readonly texts: string[] = [];
  readonly uploadIds: string[] = [];
  /** Whole uploads, in the order in which they ended. */
  readonly uploads: Upload[] = [];
  /** Uploads that have begun and not been answered, now and at most. */
  readonly uploading = { now: 0, most: 0 };
  /** Reasons why requests were refused. */
  readonly complaints: string[] = [];
  readonly #always: Reply | null;
  readonly #known = new Set<string>();
  #held: Promise<void> = Promise.resolve();
  #port = 0;
  #server: Opened | null = null;

  /** @param always the answer to every request in place of its own */
  constructor(always: Reply | null = null) {
    this.#always = always;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** At the port of before, else below those that the system assigns: no other program gets it. */
  async open(): Promise<this> {
    const before = this.#port;
    while (this.#server === null) {
      this.#port = before || 20_000 + Math.floor(Math.random() * 10_000);
      const answer = (...call: Parameters<RequestListener>) => void this.#serve(...call);
      this.#server = await serve(answer, { port: this.#port }).catch(() => null);
    }
    return this;
  }

  async close(): Promise<void> {
    await this.#server?.close();
    this.#server = null;
  }

  /** Uploads are answered only when the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  /** No upload is known any more. */
  forget(): void {
    this.#known.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      respond(response, this.#always ?? (await this.#replyTo(request)));
    } catch (fault) {
      this.complaints.push(String(fault));
      response.destroy();
    }
  }

  async #replyTo(request: IncomingMessage): Promise<Reply> {
    const [, , number = '', edge = ''] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
    if (edge === 'media') return this.#upload(request, number);
    if (edge === 'messages') return this.#send(request);
    return json({ id: number, status: 'CONNECTED', platform_type: 'CLOUD_API' });
  }

  async #upload(request: IncomingMessage, number: string): Promise<Reply> {
    this.uploading.most = Math.max(this.uploading.most, ++this.uploading.now);
    const body = await buffer(request);
    await this.#held;
    this.uploading.now--;
    const file = parseUpload(request.headers['content-type'] ?? '', body);
    const length = Number(request.headers['content-length']);
    if (!file || length !== body.length) {
      this.complaints.push(`an upload of ${body.length} bytes that said ${length}`);
      return json({ error: { code: 100, message: 'not a file' } }, 400);
    }
    const id = `up_${this.uploads.length}`;
    const sha256 = createHash('sha256').update(file.bytes).digest('hex');
    this.uploads.push({ number, sha256 });
    this.#known.add(id);
    return json({ id });
  }

  async #send(request: IncomingMessage): Promise<Reply> {
    const body = parseRecord(await text(request)) ?? {};
    const type = textAt(body, 'type') ?? '';
    const id = textAt(recordAt(body, type), 'id');
    if (type !== 'text' && !this.#known.has(id ?? '')) {
      return json({ error: { code: 131_009, message: 'no such media' } }, 400);
    }
    if (type === 'text') this.texts.push(textAt(recordAt(body, type), 'body') ?? '');
    else this.uploadIds.push(id ?? '');
    const to = (textAt(body, 'to') ?? '').replace('+', '');
    const messages = [{ id: `wamid.${this.texts.length + this.uploadIds.length}` }];
    return json({ messages, contacts: [{ wa_id: to }] });
  }
}
