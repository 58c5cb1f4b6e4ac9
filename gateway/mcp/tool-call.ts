/**
 * A tool's call and its result: arguments become the request of the row, and the row's answer the
 * result of the tool.
 *
 * 1. Path arguments are checked beside the row's own schemas: all issues come together.
 * 2. An optional argument that is null is one that was left out, unless null means something.
 * 3. A refusal is a result with `isError`, so that a model reads the sentence and corrects itself.
 *    A missing key and a fault are answers of HTTP, as on every other path.
 */
import * as v from 'valibot';
import { isPlainObject } from '../../shared/api/fields.ts';
import { SENTENCES } from '../../shared/api/sentences.ts';
import { looksLikeId } from '../../shared/entity-ids.ts';
import { failure, type Issue, invalid } from '../../shared/failures.ts';
import { TOOL_ARGUMENTS_MAX_DEPTH, TOOL_RESULT_MAX_BYTES } from '../../shared/limits.ts';
import { type BodyStream, type Reply, refusalReply } from '../http/respond.ts';
import { IGNORED_HEADER } from '../ignored-names.ts';
import { NO_BODY, type RowRequest } from '../keyed-call.ts';
import { type ApiRoute, parameterNames } from '../route.ts';
import type { ParsedBody } from '../validate.ts';
import { errorReply } from './json-rpc.ts';
import type { McpRequest } from './message.ts';
import { findTool, IDEMPOTENCY_ARGUMENT } from './tools.ts';

type Values = Readonly<Record<string, unknown>>;

/** The request of the row that the tool calls, or the error of a call that names none. */
export function readToolCall({ id, params }: McpRequest): RowRequest | Reply {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') return errorReply(id, 'unknownTool');
  const route = findTool(name);
  if (!route) return errorReply(id, 'unknownTool');
  const isBounded = isPlainObject(given) && !isDeeper(given, TOOL_ARGUMENTS_MAX_DEPTH);
  return isBounded ? rowRequestOf(route, given) : errorReply(id, 'badArguments');
}

/** The recursion ends at the depth that is allowed. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function rowRequestOf(route: ApiRoute, given: Values): RowRequest {
  const names = parameterNames(route.path);
  const inPath = names.filter((name) => typeof given[name] === 'string');
  const params = Object.fromEntries(inPath.map((name) => [name, String(given[name])]));
  const issues = names.flatMap((name) => issueOf(given, name));
  const key = route.body ? (given[IDEMPOTENCY_ARGUMENT] ?? undefined) : undefined;
  if (key !== undefined) issues.push(...issueOf(given, IDEMPOTENCY_ARGUMENT));
  const own = new Set([...names, ...(route.body ? [IDEMPOTENCY_ARGUMENT] : [])]);
  const read = Object.entries(given).filter(([name]) => !own.has(name));
  const values = Object.fromEntries(read.filter(([name, value]) => !isAbsent(route, name, value)));
  const entries = route.query?.entries ?? {};
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(entries, name));
  return {
    route,
    params,
    path: route.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? ''),
    query: { values: route.query ? values : {}, issues, unknown: route.body ? [] : unknown },
    body: inPath.every((name) => looksLikeId(String(given[name])))
      ? bodyOf(route, values)
      : refusalReply(failure('route_not_found')),
    header: typeof key === 'string' ? key : undefined,
  };
}

/** Models write null for an argument that they leave out; where null means something it is given. */
function isAbsent({ query, body }: ApiRoute, name: string, value: unknown): boolean {
  const entries = { ...query?.entries, ...body?.entries };
  // A caller's own name may be one that every object has.
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  return value === null && entry !== undefined && !v.is(entry, null);
}

function issueOf(given: Values, name: string): Issue[] {
  const value = given[name];
  if (typeof value === 'string') return [];
  return [{ path: name, message: SENTENCES[value === undefined ? 'required' : 'textExpected'] }];
}

function bodyOf(route: ApiRoute, values: Values): ParsedBody {
  if (!route.body) return NO_BODY;
  return { object: values, bytes: Buffer.from(JSON.stringify(values)) };
}

const STATUS_META = 'recado/status';
const REPLAYED_META = 'recado/idempotentReplayed';
const IGNORED_META = 'recado/ignored';

export interface ToolResult {
  /** Of the row's answer. */
  readonly toolStatus: number;
  readonly result: Values;
}

/** The result that the row's answer means, or the answer itself where HTTP has to give it. */
export async function toolResultOf(
  { route }: RowRequest,
  answered: Reply,
): Promise<ToolResult | Reply> {
  const { status, stream } = answered;
  if (status === 401 || status >= 500) return answered;
  const body = stream ? await textOf(stream) : answered.body;
  return resultOf(body === null ? refusalReply(invalid(tooLarge(route))) : { ...answered, body });
}

/** Its text and its structure are the answer's body; a refusal adds what HTTP has in its head. */
function resultOf({ status, body, headers = {} }: Reply): ToolResult {
  const isError = status >= 400;
  const parsed: unknown = JSON.parse(body);
  if (!isPlainObject(parsed)) throw new Error('an answer of the API is no object');
  const after = headers['retry-after'];
  const wait = after === undefined ? {} : { retryAfterSeconds: Number(after) };
  const structuredContent = isError ? { status, ...parsed, ...wait } : parsed;
  const isReplayed = headers['idempotent-replayed'] !== undefined;
  const ignored = headers[IGNORED_HEADER]?.split(', ');
  const result = {
    content: [{ type: 'text', text: isError ? JSON.stringify(structuredContent) : body }],
    structuredContent,
    isError,
    _meta: {
      [STATUS_META]: status,
      ...(isReplayed ? { [REPLAYED_META]: true } : {}),
      ...(ignored ? { [IGNORED_META]: ignored } : {}),
    },
  };
  return { toolStatus: status, result };
}

function tooLarge({ query }: ApiRoute): Issue {
  const path = query && 'limit' in query.entries ? 'limit' : '';
  return { path, message: SENTENCES.resultTooLarge };
}

/** Null when the body is longer than a result may be: the rest of it is not asked for. */
async function textOf(stream: BodyStream): Promise<string | null> {
  let text = '';
  let bytes = 0;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream.chunks) {
      bytes += chunk.byteLength;
      if (bytes > TOOL_RESULT_MAX_BYTES) return null;
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } finally {
    stream.end();
  }
}
