/**
 * Checks an answer against the OpenAPI document.
 * 1. Status, content type, headers and JSON body: an operation, a status or a property that the
 *    document does not contain is a failure.
 * 2. A path or method that it does not know is 404 or 405. HEAD is GET without a body.
 */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as v from 'valibot';
import { buildDocument } from '../../gateway/openapi/document.ts';
import { ROUTES } from '../../gateway/routes.ts';

const ROOT = 'openapi.json';
const SHOWN_CHARS = 500;
/** Headers that mean something to a caller: an answer has none that its operation leaves out. */
const TOLD_HEADERS = [
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Idempotent-Replayed',
  'X-Ignored',
  'X-Request-Id',
  'X-Event-Header-Prefix',
];

const Reference = v.object({ $ref: v.string() });
const Headers = v.record(v.string(), v.unknown());
const Response = v.object({
  headers: v.optional(Headers, {}),
  content: v.optional(v.record(v.string(), v.unknown()), {}),
});
const Operation = v.object({
  operationId: v.string(),
  responses: v.record(v.string(), v.union([Reference, Response])),
});
const Event = v.object({
  parameters: v.array(v.object({ name: v.string(), schema: v.unknown() })),
});
const Document = v.object({
  paths: v.record(v.string(), v.record(v.string(), Operation)),
  webhooks: v.record(v.string(), v.object({ post: Event })),
  components: v.object({ responses: v.record(v.string(), Response) }),
});

export interface Seen {
  readonly status: number;
  readonly headers: globalThis.Headers;
  /** The body's JSON; null where it is none. */
  readonly json: unknown;
}

const parsed: unknown = JSON.parse(buildDocument(ROUTES, 'https://api.recado.test'));
const DOCUMENT = v.parse(Document, parsed);
const PATHS = Object.entries(DOCUMENT.paths).map(([path, methods]) => ({
  path,
  methods,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/**
 * A process uses each validator a few times: to make it costs more than to run it. So schemas that
 * several answers name are compiled once, and no code is optimized.
 */
const ajv = new Ajv2020({
  ...{ strict: false, allErrors: true, validateSchema: false },
  ...{ inlineRefs: false, code: { optimize: false } },
});
formats.default(ajv);
ajv.addSchema(closed(Object(parsed)), ROOT);
const validators = new Map<string, ValidateFunction>();

/** An object that lists properties has no others. */
function closed(node: object): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) copy[keyword] = closedValue(value);
  const lists = copy.type === 'object' && Object.keys(Object(copy.properties)).length > 0;
  const closes = lists && !('additionalProperties' in copy);
  return closes ? { ...copy, additionalProperties: false } : copy;
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  return typeof value === 'object' && value !== null ? closed(value) : value;
}

/** Fails with operation, status and error unless the document tells of this answer. */
export function assertDocumented(method: string, url: string, seen: Seen): void {
  const path = url.split('?')[0] ?? '';
  const place = PATHS.find(({ pattern }) => pattern.test(path));
  const isHead = method === 'HEAD';
  const verb = isHead ? 'get' : method.toLowerCase();
  const operation = place?.methods[verb];
  if (!operation || (isHead && seen.status === 405)) {
    assert.equal(seen.status, place ? 405 : 404, `${method} ${path} is not in the document`);
    if (!isHead) assertValid(['components', 'schemas', 'Error'], seen.json, path);
    return;
  }
  const what = `${operation.operationId} ${seen.status}`;
  const listed = operation.responses[String(seen.status)];
  assert.ok(listed && place, `${what} is not in the document`);
  const inComponents = '$ref' in listed;
  const response = inComponents ? DOCUMENT.components.responses[seen.status] : listed;
  assert.ok(response, `${what} refers to nothing`);
  const start = inComponents
    ? ['components', 'responses']
    : ['paths', place.path, verb, 'responses'];
  assertHeaders(response.headers, seen.headers, what);
  if (isHead) return;
  if (Object.keys(response.content).length === 0) {
    assert.equal(seen.json, null, `${what} has a body`);
    return;
  }
  const [type = ''] = (seen.headers.get('content-type') ?? '').split(';');
  assert.ok(type in response.content || '*/*' in response.content, `${what} is ${type}`);
  if (type !== 'application/json') return;
  assertValid([...start, String(seen.status), 'content', type, 'schema'], seen.json, what);
}

function assertHeaders(listed: v.InferOutput<typeof Headers>, seen: Seen['headers'], what: string) {
  for (const name of TOLD_HEADERS) {
    if (seen.has(name)) assert.ok(name in listed, `${what}: header ${name} is not documented`);
  }
  assert.ok(!('X-Request-Id' in listed) || seen.has('X-Request-Id'), `${what}: no X-Request-Id`);
}

/** An event's body and headers, against the document's `webhooks`. */
export function assertDocumentedEvent(
  name: string,
  body: unknown,
  headers: Readonly<Record<string, unknown>>,
): void {
  const event = DOCUMENT.webhooks[name]?.post;
  assert.ok(event, `${name} is not in the document`);
  const post = ['webhooks', name, 'post'];
  for (const [index, parameter] of event.parameters.entries()) {
    const place = [...post, 'parameters', String(index), 'schema'];
    assertValid(place, headers[parameter.name.toLowerCase()], `${name} ${parameter.name}`);
  }
  assertValid([...post, 'requestBody', 'content', 'application/json', 'schema'], body, name);
}

function assertValid(place: readonly string[], value: unknown, what: string): void {
  const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
  const reference = `${ROOT}#/${pointer.map(encodeURIComponent).join('/')}`;
  const validator = validators.get(reference) ?? ajv.compile({ $ref: reference });
  validators.set(reference, validator);
  if (validator(value)) return;
  const shown = String(JSON.stringify(value)).slice(0, SHOWN_CHARS);
  assert.fail(`${what}: ${ajv.errorsText(validator.errors)} in ${shown}`);
}
