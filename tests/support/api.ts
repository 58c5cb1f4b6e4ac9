/** A caller of the public API: plain requests, and the few that every test makes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { ListChannelsAnswer } from '../../shared/api/channel.ts';
import { type Contact, ListContactsAnswer } from '../../shared/api/contact.ts';
import { ListConversationsAnswer } from '../../shared/api/conversation.ts';
import { ListMessagesAnswer, type Message, SendMessageAnswer } from '../../shared/api/message.ts';
import { ValidationRefusalSchema } from '../../shared/api/refusal.ts';
import { assertDocumented } from './conformance.ts';
import { waitFor } from './wait-for.ts';

export interface Call {
  /** Sent as `Authorization: Bearer`. */
  readonly key?: string;
  /** Sent as JSON; a text or bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body's JSON; null where it is none. */
  readonly json: unknown;
}

export interface Sent {
  readonly messageId: string;
  readonly conversationId: string;
  readonly channelId: string;
}

export interface Api {
  /** Once, whatever the answer. Fails when the OpenAPI document does not tell of it. */
  request(method: string, path: string, call?: Call): Promise<Answer>;
  /**
   * Until the outcome is known. A starved or killed service answers 5xx: a read is repeated, and a
   * write under the same `Idempotency-Key` (C7.10). A test that counts calls uses `request`.
   */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** A send that has to be accepted, as `call`. */
  send(key: string, body: Readonly<Record<string, unknown>>): Promise<Sent>;
  /** The newest 200 messages of a conversation, newest first. */
  history(key: string, conversationId: string): Promise<Message[]>;
  /** Waits until the message is in that state, and gives it back. */
  messageIn(
    key: string,
    sent: Pick<Sent, 'conversationId' | 'messageId'>,
    status: Message['status'],
  ): Promise<Message>;
  conversations(
    key: string,
    query?: string,
  ): Promise<v.InferOutput<typeof ListConversationsAnswer>>;
  channels(key: string): Promise<v.InferOutput<typeof ListChannelsAnswer>['data']>;
  contact(key: string, phone: string): Promise<Contact | null>;
}

function requestTo(baseUrl: string): Api['request'] {
  return async (method, path, { key, body, headers } = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytesOf(body) }),
    });
    const text = await textOf(response);
    const { status, headers: had } = response;
    return documented(method, path, { status, headers: had, text, json: jsonOf(text) });
  };
}

/** A 5xx, and the 409 of a first try that is still under way. */
function isUnknown({ status, headers }: Answer): boolean {
  return status >= 500 || (status === 409 && headers.has('retry-after'));
}

export function apiOf(baseUrl: string): Api {
  const request = requestTo(baseUrl);
  const call: Api['call'] = (method, path, { headers, ...rest } = {}) => {
    const keyed = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    const known = async () => {
      const answer = await request(method, path, { ...rest, headers: { ...keyed, ...headers } });
      return isUnknown(answer) ? null : answer;
    };
    return waitFor(known, { what: `an answer to ${method} ${path}` });
  };
  const list = async <S extends v.GenericSchema>(schema: S, path: string, key: string) => {
    const answer = await call('GET', path, { key });
    assert.equal(answer.status, 200, answer.text);
    return v.parse(schema, answer.json);
  };
  const history = async (key: string, conversationId: string) => {
    const path = `/api/v1/messages?conversationId=${conversationId}&limit=200`;
    return (await list(ListMessagesAnswer, path, key)).data;
  };
  return {
    request,
    call,
    history,
    send: async (key, body) => sentOf(await call('POST', '/api/v1/messages', { key, body })),
    messageIn: (key, { conversationId, messageId }, status) =>
      waitFor(
        async () => {
          const found = (await history(key, conversationId)).find(({ id }) => id === messageId);
          return found?.status === status ? found : null;
        },
        { what: `${messageId} is ${status}` },
      ),
    conversations: (key, query = '') =>
      list(ListConversationsAnswer, `/api/v1/conversations${query}`, key),
    channels: async (key) => (await list(ListChannelsAnswer, '/api/v1/channels', key)).data,
    contact: async (key, phone) => {
      const path = `/api/v1/contacts?phone=${encodeURIComponent(phone)}`;
      return (await list(ListContactsAnswer, path, key)).data[0] ?? null;
    },
  };
}

function sentOf({ status, text, json }: Answer): Sent {
  assert.equal(status, 201, text);
  return v.parse(SendMessageAnswer, json).data;
}

/** Empty for a stream of events, which may have no end: it is closed. */
async function textOf(response: Response): Promise<string> {
  if (!isEventStream(response.headers)) return response.text();
  await response.body?.cancel();
  return '';
}

export function isEventStream(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

function documented(method: string, path: string, answer: Answer): Answer {
  assertDocumented(method, path, answer);
  return answer;
}

/** A refusal has a Portuguese sentence and nothing of the service's insides. */
export function assertRefused(answer: Answer, status: number): string {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  const { error } = v.parse(v.object({ error: v.string() }), answer.json);
  assert.match(error, /^\p{Lu}.+\.$/u, 'a sentence');
  return error;
}

/** The paths of a 422, sorted; each issue has a sentence. */
export function issuePaths(answer: Answer): string[] {
  assertRefused(answer, 422);
  const { issues } = v.parse(ValidationRefusalSchema, answer.json);
  for (const { message } of issues) assert.match(message, /^\p{Lu}.+\.$/u);
  return issues.map(({ path }) => path).sort();
}

const PHONES_OF_FILE = 10_000;
let phones = 0;

/** Of the files that use one service each has phones of its own. */
export function phonesFrom(place: number): void {
  phones = place * PHONES_OF_FILE;
}

/** A Brazilian mobile that no other test of this file has, canonical. */
export function freshPhone(): string {
  phones += 1;
  return `55119${String(87_000_000 + phones)}`;
}

function bytesOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return JSON.stringify(body);
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return null;
  }
}
