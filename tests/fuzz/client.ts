/** An HTTP client that sends what no fetch would: any path, any header, any method. */
import { Agent, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Answer } from '../support/api.ts';
import type { Request } from './requests.ts';

const TIMEOUT_MS = 30_000;

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
    buffer(response).then((bytes) => {
      const text = bytes.toString('utf8');
      const had = new Headers();
      for (const [name, values] of Object.entries(response.headersDistinct)) {
        for (const value of values ?? []) had.append(name, value);
      }
      resolve({ status: response.statusCode ?? 0, headers: had, text, json: jsonOf(text) });
    }, reject);
  });
  sent.end(body ?? undefined);
  return promise;
}

function lengthOf(body: Buffer | null): Record<string, string> {
  return body ? { 'content-length': String(body.length) } : {};
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
