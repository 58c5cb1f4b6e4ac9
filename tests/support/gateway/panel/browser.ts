/** A browser of the panel for the tests: it keeps one cookie, and calls as the page does. */
import assert from 'node:assert/strict';
import * as v from 'valibot';

const SessionSchema = v.object({
  id: v.string(),
  role: v.string(),
  member: v.nullable(v.object({ id: v.string(), name: v.string(), email: v.nullable(v.string()) })),
  organization: v.nullable(v.object({ id: v.string(), name: v.string(), timeZone: v.string() })),
  expiresAt: v.string(),
});
export const SignedInSchema = v.object({
  data: v.object({
    session: v.nullable(SessionSchema),
    ticket: v.nullable(v.string()),
    choices: v.array(
      v.object({ organizationId: v.string(), organizationName: v.string(), role: v.string() }),
    ),
    passphrase: v.string(),
    offersPassphrase: v.boolean(),
  }),
});
const LinkSchema = v.object({ url: v.string(), expiresAt: v.string() });

export interface PanelCall {
  readonly body?: unknown;
  /** In place of a body. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Browser {
  readonly #url: string;
  /** `name=value`, or empty. */
  cookie = '';

  /** Of every call. */
  readonly headers: Record<string, string>;

  constructor(url: string, cookie = '', headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.cookie = cookie;
    this.headers = { ...headers };
  }

  /** As the panel's page calls; a header given as empty is not sent. */
  async call(method: string, path: string, { body, bytes, headers }: PanelCall = {}) {
    const sent: Record<string, string> = {
      'x-recado-panel': '1',
      'sec-fetch-site': 'same-origin',
      // Each call may reach another process.
      connection: 'close',
      cookie: this.cookie,
      ...this.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== '')),
      ...(method === 'GET' ? {} : { body: bytes ?? JSON.stringify(body ?? {}) }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.split(';')[0] ?? '';
    const isEndless = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (isEndless) await response.body?.cancel();
    const text = isEndless ? '' : await response.text();
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, text, json };
  }
}

/** The token of a printed link. */
export function tokenOf(printed: unknown): string {
  const { url } = v.parse(LinkSchema, printed);
  const token = new URL(url).hash.slice(1);
  assert.match(token, /^\w+\.[\w-]{43}$/);
  return token;
}
