/** Operations of the document: the resource and the name of each one's method, and its row. */
import type { OperationRow } from './client/client.ts';
import { isObject, type Schema } from './schema-types.ts';

export interface Operation extends OperationRow {
  readonly summary: string;
  readonly pathParameters: readonly string[];
  readonly queryParameters: readonly Schema[];
  readonly bodySchema: Schema | null;
  /** Schemas of the results. */
  readonly results: readonly Schema[];
}

/** Calls of the messaging networks, and those that the iterator of events makes. */
const LEFT_OUT = /^\/networks\/|^\/api\/v1\/events$/;
const INBOUND = /^\/api\/webhooks\//;
const API = /^\/api\/v1\/([a-z]+)/;
const VERB = /^[a-z]+/;
const OWN = 'service';

/** Every operation that an integrator calls, in the document's order. */
export function operationsOf(document: Schema): readonly Operation[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    LEFT_OUT.test(path) || !isObject(methods)
      ? []
      : Object.entries(methods).map(([method, operation]) => {
          if (!isObject(operation)) throw new Error(`no operation at ${method} ${path}`);
          return operationOf(path, method, operation);
        }),
  );
}

function operationOf(path: string, method: string, operation: Schema): Operation {
  const operationId = String(operation.operationId);
  const resource = resourceOf(path);
  const parameters = listAt(operation, 'parameters');
  const queryParameters = parameters.filter((each) => each.in === 'query');
  const sent = isObject(operation.requestBody) ? mediaOf(operation.requestBody).schema : null;
  const isFile = sent?.format === 'binary';
  const bodySchema = isFile ? null : sent;
  const responses = Object.entries(objectAt(operation, 'responses')).flatMap(resultOf);
  const results = responses.map(({ schema }) => schema);
  const isPaged = queryParameters.some(({ name }) => name === 'page');
  return {
    ...{
      resource,
      name: nameOf(operationId, resource),
      path,
      bodySchema,
      queryParameters,
      results,
    },
    method: method === 'post' ? 'POST' : 'GET',
    takes: isFile ? 'file' : bodySchema ? 'body' : queryParameters.length > 0 ? 'query' : 'nothing',
    isKeyed: parameters.some(({ $ref }) => String($ref).endsWith('/IdempotencyKey')),
    isPaged,
    gives: givesOf(responses[0]?.type ?? 'application/json'),
    answers: responses.map(({ status }) => status).filter((status) => status > 299),
    summary: String(operation.summary),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  };
}

function resourceOf(path: string): string {
  if (INBOUND.test(path)) return 'inbound';
  return API.exec(path)?.[1] ?? OWN;
}

/** `createDeal` is `deals.create`; the service's own are named by what they get. */
function nameOf(operationId: string, resource: string): string {
  const [verb = operationId] = VERB.exec(operationId) ?? [];
  if (resource !== OWN) return verb;
  const rest = operationId.slice(verb.length);
  return rest.slice(0, 1).toLowerCase() + rest.slice(1);
}

interface Result {
  readonly status: number;
  readonly type: string;
  readonly schema: Schema;
}

/** Answers that are no refusals. */
function resultOf([status, response]: readonly [string, unknown]): readonly Result[] {
  if (!isObject(response) || !isObject(response.content)) return [];
  const { type, schema } = mediaOf(response);
  return isRefusal(schema) ? [] : [{ status: Number(status), type, schema }];
}

function isRefusal({ $ref, properties }: Schema): boolean {
  if (typeof $ref === 'string') return $ref.endsWith('Error');
  return isObject(properties) && 'error' in properties;
}

function mediaOf(holder: Schema): { readonly type: string; readonly schema: Schema } {
  const [[type, media] = ['', {}]] = Object.entries(objectAt(holder, 'content'));
  return { type, schema: isObject(media) ? objectAt(media, 'schema') : {} };
}

function givesOf(type: string): OperationRow['gives'] {
  if (type === 'application/json') return 'json';
  return type.startsWith('text/') ? 'text' : 'raw';
}

function objectAt(holder: Schema, name: string): Schema {
  const value = holder[name];
  if (!isObject(value)) throw new Error(`the document has no ${name}`);
  return value;
}

function listAt(holder: Schema, name: string): readonly Schema[] {
  const value = holder[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}
