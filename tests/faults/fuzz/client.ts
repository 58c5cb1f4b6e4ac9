/** An HTTP client that sends what no fetch would: any path, any header, any method. */
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { type Answer, isEventStream } from '../../support/api.ts';
import type { Request } from './requests.ts';

const TIMEOUT_MS = 90_000;
/** The OpenAPI document is longer, and the same every time. */
const LONG_CHARS = 50_000;

export interface Client extends Disposable {
  send(request: Request): Promise<Answer>;
}

export function clientOf(baseUrl: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(baseUrl);
  const place = { agent, hostname, port, timeout: TIMEOUT_MS };
  return {
    send: (request) => exchange(request, place),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

async function exchange(
  { method, target: path, headers, body }: Request,
  place: { readonly agent: Agent; readonly hostname: string; readonly port: string },
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = send({ ...place, method, path, headers: { ...headers, ...lengthOf(body) } });
  sent.on('timeout', () => sent.destroy(new Error('no answer came')));
  sent.on('error', reject);
  sent.on('response', (response) => {
    const had = new Headers();
    for (const [name, values] of Object.entries(response.headersDistinct)) {
      for (const value of values ?? []) had.append(name, value);
    }
    textOf(response, isEventStream(had)).then((text) => {
      resolve({ status: response.statusCode ?? 0, headers: had, text, json: jsonOf(text) });
    }, reject);
  });
  sent.end(body ?? undefined);
  return promise;
}

function lengthOf(body: Buffer | null): Record<string, string> {
  return body ? { 'content-length': String(body.length) } : {};
}

/**
 * Without the copies and promises of each chunk that `node:stream/consumers` has. Of a stream of
 * events the first chunk, since it may have no end.
 */
function textOf(response: IncomingMessage, isEndless: boolean): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (!isEndless) return;
    resolve(chunk.toString('utf8'));
    response.destroy();
  });
  response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  response.on('error', reject);
  return promise;
}

let long: { readonly text: string; readonly json: unknown } = { text: '', json: null };

function jsonOf(text: string): unknown {
  if (text.length < LONG_CHARS) return parsed(text);
  if (text !== long.text) long = { text, json: parsed(text) };
  return long.json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
