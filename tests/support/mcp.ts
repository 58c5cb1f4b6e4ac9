/** The official client of the Model Context Protocol, and plain messages without it. */
import assert from 'node:assert/strict';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import * as v from 'valibot';

/** Of a tool's result: the status and the body of its row's answer. */
export interface Called {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** A kept answer of an earlier call. */
  readonly replayed: boolean;
  /** Arguments that the tool does not have. */
  readonly ignored?: readonly string[];
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Checks that the result's text is its structure. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Called>;
}

const Result = v.object({
  content: v.tuple([v.object({ type: v.literal('text'), text: v.string() })]),
  structuredContent: v.record(v.string(), v.unknown()),
  isError: v.boolean(),
  _meta: v.looseObject({
    'recado/status': v.number(),
    'recado/idempotentReplayed': v.optional(v.literal(true)),
    'recado/ignored': v.optional(v.array(v.string())),
  }),
});

/** A client that has connected; the handshake of the earlier revisions unless told otherwise. */
export async function connectMcp(
  baseUrl: string,
  key: string,
  mode: VersionNegotiationMode = 'legacy',
): Promise<McpClient> {
  const client = new Client(
    { name: 'recado-tests', version: '1.0.0' },
    {
      versionNegotiation: { mode },
    },
  );
  const headers = { authorization: `Bearer ${key}` };
  const url = new URL(`${baseUrl}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return {
    client,
    call: async (name, args = {}) =>
      calledOf(await client.callTool({ name, arguments: { ...args } })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export function calledOf(result: unknown): Called {
  const { content, structuredContent, isError, _meta } = v.parse(Result, result);
  assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  const { status: named, ...body } = structuredContent;
  const status = _meta['recado/status'];
  const ignored = _meta['recado/ignored'];
  if (isError) assert.equal(named, status, 'a refusal tells its status');
  return {
    status,
    body: isError ? body : structuredContent,
    isError,
    replayed: _meta['recado/idempotentReplayed'] ?? false,
    ...(ignored ? { ignored } : {}),
  };
}

/** A request of an earlier revision, as text. */
export function rpc(method: string, params?: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

const META = 'io.modelcontextprotocol/';

/** A request of revision 2026-07-28 with the headers that mirror it. */
export function modernRpc(method: string, params: Readonly<Record<string, unknown>> = {}) {
  const version = '2026-07-28';
  const _meta = { [`${META}protocolVersion`]: version, [`${META}clientCapabilities`]: {} };
  const headers: Record<string, string> = {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
  };
  return { headers, body: rpc(method, { ...params, _meta }) };
}
