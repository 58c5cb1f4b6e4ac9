/**
 * Requests made from the OpenAPI document: valid, spoiled, and garbage. The same dice and the same
 * pool of ids make the same request.
 */
import { createHmac } from 'node:crypto';
import type { SeededRandom } from '../simulation/world/seeded-random.ts';
import type { Operation } from './document.ts';
import { corrupted, corruptedBytes, hostileValue } from './hostile.ts';
import { type Pool, validValue } from './schema-values.ts';

export interface Request {
  readonly method: string;
  /** Path and query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** Entities of an installation that requests may name. */
export interface RequestInputs {
  /** By operationId and name (`getMedia.id`), or by name alone. */
  readonly pool: Pool;
  /** Whole bodies that make sense, by operationId. */
  readonly bodies: Readonly<Record<string, readonly object[]>>;
  /** Good ones. */
  readonly keys: readonly string[];
  /** Keys of another organization, or revoked ones. */
  readonly badKeys: readonly string[];
  readonly appSecret: string;
  readonly webhookSecret: string;
}

const ENTRANCE_WITHOUT_KEY = /^\/(networks|openapi|docs|healthz|readyz)/;
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const SEGMENTS = [
  'api',
  'v1',
  '..',
  '.',
  '',
  '%2e%2e',
  '%00',
  'x'.repeat(300),
  '*',
  '{id}',
  '%',
  '~',
];
/** A head that is too long never reaches the service: the server below refuses it (431). */
const LINE_MAX = 1_500;
const HEADER_MAX = 1_000;
const LARGE_BYTES = 1024 * 1024 + 1;
const NETWORK_LARGE_BYTES = 4 * 1024 * 1024 + 1;
const FILE_LARGE_BYTES = 25 * 1024 * 1024 + 1;

type Pair = [name: string, value: string];

/** One request of an operation, of one of the three kinds. */
export function requestOf(
  operation: Operation,
  random: SeededRandom,
  inputs: RequestInputs,
): Request {
  const garbled = random.happens(0.03);
  const good = new Maker(operation, random, inputs).request();
  return garbled ? garbage(good, random) : good;
}

class Maker {
  readonly #operation: Operation;
  readonly #random: SeededRandom;
  readonly #inputs: RequestInputs;
  /** One thing of this request is not as it should be. */
  readonly #corrupts: 'path' | 'query' | 'headers' | 'body' | 'bytes' | 'large' | 'key' | null;

  /** How many of the optional fields there are. */
  readonly #fullness: number;

  constructor(operation: Operation, random: SeededRandom, inputs: RequestInputs) {
    this.#operation = operation;
    this.#random = random;
    this.#inputs = inputs;
    this.#fullness = random.pick([0.1, 0.25, 0.45, 0.8]);
    const places = ['path', 'query', 'headers', 'body', 'body', 'body', 'bytes', 'key'] as const;
    this.#corrupts = random.happens(0.45)
      ? random.happens(0.06)
        ? 'large'
        : random.pick(places)
      : null;
  }

  request(): Request {
    const { method } = this.#operation;
    const body = this.#body();
    const headers = { ...this.#keyHeaders(), ...this.#headers(body) };
    return { method, target: this.#path() + this.#query(), headers, body };
  }

  #value(schema: unknown, name: string): unknown {
    const { pool } = this.#inputs;
    const own = pool[`${this.#operation.id}.${name}`];
    const mine = own ? { ...pool, [name]: own } : pool;
    return validValue(schema, name, { random: this.#random, pool: mine, fullness: this.#fullness });
  }

  #path(): string {
    const random = this.#random;
    return this.#operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (this.#corrupts === 'path')
        return encoded(hostileText(random).slice(0, 600)).slice(0, LINE_MAX);
      return encoded(String(this.#value({ type: 'string' }, name)));
    });
  }

  #query(): string {
    const random = this.#random;
    const pairs: Pair[] = this.#operation.parameters
      .filter((each) => each.in === 'query' && (each.required || random.happens(0.4)))
      .map(({ name, schema }) => [name, String(this.#value(schema, name))]);
    if (this.#corrupts === 'query') corruptPairs(random, pairs);
    const raw =
      this.#corrupts === 'query' && random.happens(0.1) ? random.pick(['%', '&&=', 'a=%zz']) : '';
    const text = (pairs.map((pair) => pair.map(encoded).join('=')).join('&') + raw).slice(
      0,
      LINE_MAX,
    );
    return text === '' ? '' : `?${text}`;
  }

  #body(): Buffer | null {
    const { body: schema, path, isFile } = this.#operation;
    const random = this.#random;
    if (isFile && this.#corrupts === 'large') return Buffer.alloc(FILE_LARGE_BYTES);
    if (isFile) return corruptedBytes(random, Buffer.from('a'.repeat(random.below(2_000))));
    if (schema === undefined) return null;
    if (this.#corrupts === 'large') {
      const size = path.startsWith('/networks') ? NETWORK_LARGE_BYTES : LARGE_BYTES;
      return Buffer.alloc(size, ' ');
    }
    const known = this.#inputs.bodies[this.#operation.id];
    const value =
      known && random.happens(0.6) ? random.pick(known) : this.#value(schema, this.#operation.id);
    const bytes = Buffer.from(
      JSON.stringify(this.#corrupts === 'body' ? corrupted(random, value) : value) ?? '',
    );
    return this.#corrupts === 'bytes' ? corruptedBytes(random, bytes) : bytes;
  }

  #keyHeaders(): Record<string, string> {
    const random = this.#random;
    const { keys, badKeys } = this.#inputs;
    if (ENTRANCE_WITHOUT_KEY.test(this.#operation.path)) return {};
    const good = random.pick(keys);
    const bearer = { authorization: `Bearer ${good}` };
    if (this.#corrupts !== 'key') return random.happens(0.7) ? bearer : { 'x-api-key': good };
    const bad = random.pick([
      ...badKeys,
      '',
      'x',
      'x'.repeat(201),
      'chave de alguém com acentuação',
    ]);
    return random.pick([
      {},
      { authorization: `Bearer ${latin1(bad)}` },
      { authorization: latin1(bad) },
      { 'x-api-key': latin1(bad) },
      { ...bearer, 'x-api-key': latin1(bad) },
      { authorization: `Basic ${good}` },
    ]);
  }

  #headers(body: Buffer | null): Record<string, string> {
    const random = this.#random;
    const { isFile } = this.#operation;
    const headers: Record<string, string> = { ...this.#signature(body) };
    if (body && random.happens(0.9)) {
      headers['content-type'] = isFile ? 'text/plain' : 'application/json';
    }
    for (const { name, in: place } of this.#operation.parameters) {
      if (place !== 'header' || name in headers || !random.happens(0.2)) continue;
      if (name === 'X-Request-Id') headers[name] = `fuzz-${random.below(1e6)}`;
      if (name === 'Idempotency-Key') headers[name] = `fuzz-${random.below(400)}`;
      if (name === 'X-File-Name') headers[name] = encoded(hostileText(random)).slice(0, HEADER_MAX);
    }
    if (this.#corrupts === 'headers') {
      const names = [
        'X-Request-Id',
        'Idempotency-Key',
        'content-type',
        'accept',
        'x-hub-signature-256',
      ];
      headers[random.pick([...names, 'content-encoding', 'origin', 'cookie', 'x-forwarded-for'])] =
        latin1(hostileText(random)).slice(0, HEADER_MAX);
    }
    return headers;
  }

  #signature(body: Buffer | null): Record<string, string> {
    if (!body || this.#corrupts === 'key') return {};
    const { appSecret, webhookSecret } = this.#inputs;
    const hmac = (algorithm: string, secret: string) =>
      createHmac(algorithm, secret).update(body).digest('hex');
    if (this.#operation.id === 'receiveCloudWebhook') {
      return { 'x-hub-signature-256': `sha256=${hmac('sha256', appSecret)}` };
    }
    if (this.#operation.id !== 'receiveWebWebhook') return {};
    const algorithm = { 'x-webhook-hmac-algorithm': 'sha512' };
    return { 'x-webhook-hmac': hmac('sha512', webhookSecret), ...algorithm };
  }
}

function corruptPairs(random: SeededRandom, pairs: Pair[]): void {
  const names = ['page', 'limit', 'status', '__proto__', 'phone', 'a[$ne]', ''] as const;
  const value = hostileText(random);
  const pair: Pair = pairs[0] ?? [random.pick(names), value];
  const kind = random.below(4);
  if (kind === 0) pairs.push(pair, [pair[0], value]);
  else if (kind < 3) pair[1] = value;
  else pairs.push([random.pick(names), value]);
}

function hostileText(random: SeededRandom): string {
  const value = hostileValue(random);
  return typeof value === 'string' ? value : String(JSON.stringify(value));
}

/** Lone surrogates cannot be percent-encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Text that a header may contain: no line ends, no NUL. */
function latin1(text: string): string {
  const bytes = Buffer.from(text, 'utf8').map((byte) =>
    byte < 0x20 || byte === 0x7f ? 0x3f : byte,
  );
  return Buffer.from(bytes).toString('latin1');
}

/** A method or a path that the document does not know. */
function garbage(good: Request, random: SeededRandom): Request {
  if (random.happens(0.5)) {
    const method = random.pick(METHODS);
    return { ...good, method, body: method === 'TRACE' ? null : good.body };
  }
  const depth = 1 + random.below(8);
  const segments = Array.from({ length: depth }, () => random.pick(SEGMENTS));
  return {
    ...good,
    target: `/${segments.join('/')}${random.pick(['', '?', '?x=1', '#', ';a=b'])}`,
  };
}

/** A command that sends it again, from a shell. */
export function curlOf(baseUrl: string, { method, target, headers, body }: Request): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const sent = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const from = body ? `base64 -d <<< ${body.toString('base64')} | ` : '';
  const data = body ? ' --data-binary @-' : '';
  const url = quoted(baseUrl + target);
  return `${from}curl -isS --path-as-is -X ${method} ${sent.join(' ')}${data} ${url}`;
}
