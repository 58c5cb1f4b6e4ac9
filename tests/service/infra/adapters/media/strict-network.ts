/**
 * A Cloud API that is strict about files. It requires a length and a whole body, knows an upload
 * only by the id that it gave, and counts the uploads. The test can hold it, or make it forget.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  parseRecord,
  recordAt,
  textAt,
} from '../../../../../infra/adapters/network/webhook-body.ts';
import { parseUpload } from '../../../../../infra/programs/simulator/multipart.ts';

interface Upload {
  readonly number: string;
  readonly sha256: string;
}

export interface StrictNetwork {
  readonly url: string;
  /** Whole uploads, in the order in which they ended. */
  readonly uploads: readonly Upload[];
  /** Upload ids of the messages that were taken. */
  readonly taken: readonly string[];
  /** Uploads that have begun and not been answered, now and at most. */
  readonly open: { now: number; most: number };
  /** Reasons why requests were refused. */
  readonly complaints: readonly string[];
  /** Uploads are answered only when the returned function is called. */
  hold(): () => void;
  /** No upload is known any more. */
  forget(): void;
  close(): Promise<void>;
}

class Strict {
  readonly uploads: Upload[] = [];
  readonly taken: string[] = [];
  readonly complaints: string[] = [];
  readonly open = { now: 0, most: 0 };
  readonly known = new Set<string>();
  held: Promise<void> = Promise.resolve();

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, , number = '', edge = ''] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
    if (edge === 'media') return this.#upload(request, response, number);
    if (edge === 'messages') return this.#send(request, response);
    answer(response, 200, { id: number, status: 'CONNECTED', platform_type: 'CLOUD_API' });
  }

  async #upload(request: IncomingMessage, response: ServerResponse, number: string) {
    this.open.most = Math.max(this.open.most, ++this.open.now);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    await this.held;
    this.open.now--;
    const body = Buffer.concat(parts);
    const file = parseUpload(request.headers['content-type'] ?? '', body);
    const length = Number(request.headers['content-length']);
    if (!file || length !== body.length) {
      this.complaints.push(`an upload of ${body.length} bytes that said ${length}`);
      return answer(response, 400, { error: { code: 100, message: 'not a file' } });
    }
    const id = `up_${this.uploads.length}`;
    const sha256 = createHash('sha256').update(file.bytes).digest('hex');
    this.uploads.push({ number, sha256 });
    this.known.add(id);
    answer(response, 200, { id });
  }

  async #send(request: IncomingMessage, response: ServerResponse) {
    const body = parseRecord(await text(request)) ?? {};
    const id = textAt(recordAt(body, textAt(body, 'type') ?? ''), 'id') ?? '';
    if (!this.known.has(id)) {
      return answer(response, 400, { error: { code: 131_009, message: 'no such media' } });
    }
    this.taken.push(id);
    const to = (textAt(body, 'to') ?? '').replace('+', '');
    const messages = [{ id: `wamid.${this.taken.length}` }];
    answer(response, 200, { messages, contacts: [{ wa_id: to }] });
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export async function startStrictNetwork(): Promise<StrictNetwork> {
  const strict = new Strict();
  const server = createServer((request, response) => {
    strict.serve(request, response).catch((fault: unknown) => {
      strict.complaints.push(String(fault));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { uploads, taken, open, complaints } = strict;
  return {
    url: `http://127.0.0.1:${address.port}`,
    uploads,
    taken,
    open,
    complaints,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      strict.held = promise;
      return resolve;
    },
    forget: () => strict.known.clear(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
