/** The OpenAPI 3.1 document (C9.2), made from the table of routes. */
import { VERSION } from '../shared/version.ts';
import { componentSchemas, type JsonObject, jsonSchemaOf } from './json-schema.ts';
import {
  ANSWER_DESCRIPTIONS,
  described,
  isObject,
  OPERATION_DESCRIPTIONS,
  REQUEST_DESCRIPTIONS,
  TAG_DESCRIPTIONS,
} from './openapi-descriptions.ts';
import {
  HEADERS,
  headerParametersOf,
  headersOf,
  PARAMETERS,
  RATE_HEADERS,
} from './openapi-headers.ts';
import { REFUSALS, refusalsOf } from './openapi-refusals.ts';
import { EVENTS_TAG, webhooksOf } from './openapi-webhooks.ts';
import { type AnswerRow, type ApiRoute, parameterNames, type Route } from './route.ts';
import { DEAL } from './routes/deals.ts';
import { CHANNEL_ID, CONVERSATION_ID, MEDIA_ID, MESSAGE_ID } from './routes/examples.ts';
import { FLOW } from './routes/flows.ts';
import { TASK } from './routes/tasks.ts';
import type { RequestSchema } from './validate.ts';

const JSON_TYPE = 'application/json';
/** Bytes of any type. */
const ANY_TYPE = '*/*';
const GZIP_TYPE = 'application/gzip';
/** The one status whose answer has no body. */
const NOT_MODIFIED = 304;
/** Of answers that are no JSON, by operationId. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  getDocumentation: 'text/html',
  getDocumentationFile: ANY_TYPE,
  getMedia: ANY_TYPE,
  getClientPackage: GZIP_TYPE,
  streamEvents: 'text/event-stream',
  getTryPage: 'text/html',
};
const BINARY_TYPES: readonly string[] = [ANY_TYPE, GZIP_TYPE];
const EVENT_HEADER_PREFIX = 'X-Service';

const DESCRIPTION = [
  'Atendimento e automação por mensagens nos números conectados.',
  'Toda resposta é JSON em UTF-8 com o resultado em `data`; listas paginadas trazem ao lado',
  '`page`, `limit` e `total`. Datas são ISO 8601 em UTC com milissegundos.',
  'Páginas profundas custam mais que as primeiras.',
].join(' ');

const SECURITY = [{ bearer: [] }, { apiKey: [] }];

/**
 * The document, serialized once.
 * @param publicUrl without a trailing slash
 * @param eventHeaderPrefix the maker's name in the headers of events
 */
export function buildDocument(
  routes: readonly Route[],
  publicUrl: string,
  eventHeaderPrefix: string = EVENT_HEADER_PREFIX,
): string {
  const tags = new Set([...routes.map((route) => route.tag), EVENTS_TAG]);
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'Recado',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...tags].map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    paths: pathsOf(routes),
    webhooks: webhooksOf(eventHeaderPrefix),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A chave de API, em `Authorization: Bearer`.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'A mesma chave de API, em `x-api-key`.',
        },
      },
      schemas: describedComponents(),
      headers: HEADERS,
      parameters: PARAMETERS,
      responses: REFUSALS,
    },
  });
}

function describedComponents(): JsonObject {
  const entries = Object.entries(componentSchemas()).map(([name, schema]) => [
    name,
    isObject(schema) ? described(schema, name, ANSWER_DESCRIPTIONS) : schema,
  ]);
  return Object.fromEntries(entries);
}

function pathsOf(routes: readonly Route[]): JsonObject {
  const byPath = Map.groupBy(routes, (route) => route.path);
  const entries = [...byPath].map(([path, rows]) => [
    path,
    Object.fromEntries(rows.map((row) => [row.method.toLowerCase(), operationOf(row)])),
  ]);
  return Object.fromEntries(entries);
}

function operationOf(route: Route): JsonObject {
  const requestBody = requestBodyOf(route);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: OPERATION_DESCRIPTIONS[route.operationId],
    tags: [route.tag],
    security: route.entrance === 'api' ? SECURITY : [],
    parameters: parametersOf(route),
    ...(requestBody ? { requestBody } : {}),
    responses: { ...refusalsOf(route), ...answersOf(route) },
  };
}

function parametersOf(route: Route): readonly (Parameter | JsonObject)[] {
  const query = route.entrance === 'api' ? queryParametersOf(route) : [];
  return [...pathParametersOf(route), ...query, ...headerParametersOf(route)];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: JsonObject;
  readonly example?: string | undefined;
}

export function pathParametersOf({ path }: Pick<Route, 'path'>): readonly Parameter[] {
  const [, subject, example] = IDENTIFIED.find(([segment]) => path.includes(segment)) ?? CHANNELS;
  return parameterNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: `Id ${subject}.`,
    schema: { type: 'string' },
    example,
  }));
}

type Identified = readonly [segment: string, subject: string, example: string];

/** The noun that the id of a path identifies, and an id. */
const CHANNELS: Identified = ['', 'do canal', CHANNEL_ID];
const IDENTIFIED: readonly Identified[] = [
  ['/deals/', 'do negócio', DEAL.id],
  ['/tasks/', 'da tarefa', TASK.id],
  ['/messages/', 'da mensagem', MESSAGE_ID],
  ['/media/', 'do arquivo', MEDIA_ID],
  ['/flows/', 'do fluxo', FLOW.id],
  ['/docs/files/', 'do arquivo', 'page-style'],
];
/** By name: without one, no call of a list that requires it can be shown. */
const QUERY_EXAMPLES: Readonly<Record<string, string>> = { conversationId: CONVERSATION_ID };

export function queryParametersOf({ query, operationId }: ApiRoute): readonly Parameter[] {
  if (!query) return [];
  const { properties, required } = jsonSchemaOf(query);
  const isRequired = (name: string) =>
    Array.isArray(required) && required.includes(name) && !hasDefault(properties, name);
  return Object.keys(query.entries).map((name) => ({
    name,
    in: 'query',
    required: isRequired(name),
    description: REQUEST_DESCRIPTIONS[`${operationId}.${name}`] ?? REQUEST_DESCRIPTIONS[name],
    schema: propertyOf(properties, name),
    ...(isRequired(name) ? { example: QUERY_EXAMPLES[name] } : {}),
  }));
}

function hasDefault(properties: unknown, name: string): boolean {
  return 'default' in propertyOf(properties, name);
}

function propertyOf(properties: unknown, name: string): JsonObject {
  const property = isObject(properties) ? properties[name] : null;
  return isObject(property) ? property : {};
}

function requestBodyOf(route: Route): JsonObject | null {
  if (route.entrance === 'network' && route.method === 'POST') {
    return { required: true, content: { [JSON_TYPE]: { schema: { type: 'object' } } } };
  }
  if (route.entrance !== 'api' || !route.body) return null;
  const { body, bodyExample: example, bodyExamples: examples } = route;
  const { operationId, mayOmitBody = false } = route;
  const schema = bodySchemaOf(body, operationId);
  const shown = examples ? { examples } : example === undefined ? {} : { example };
  return { required: !mayOmitBody, content: { [JSON_TYPE]: { schema, ...shown } } };
}

export function bodySchemaOf(body: RequestSchema<unknown>, operationId: string): JsonObject {
  return described(jsonSchemaOf(body), operationId, REQUEST_DESCRIPTIONS);
}

function answersOf(route: Route): JsonObject {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, row]) => [
      status,
      {
        description: row.description,
        headers: answerHeadersOf(route, Number(status)),
        ...(Number(status) === NOT_MODIFIED
          ? {}
          : { content: contentOf(row, TEXT_TYPES[route.operationId] ?? 'text/plain') }),
      },
    ]),
  );
}

function answerHeadersOf(route: Route, status: number): JsonObject {
  if (route.entrance !== 'api') return headersOf('X-Request-Id');
  const replayable = route.body !== null && status < 300;
  return headersOf(
    'X-Request-Id',
    ...RATE_HEADERS,
    ...(replayable ? (['Idempotent-Replayed'] as const) : []),
    'X-Ignored',
    ...(status === 409 ? (['Retry-After'] as const) : []),
    ...(route.opensStream ? (['X-Event-Header-Prefix'] as const) : []),
  );
}

function contentOf(row: AnswerRow, textType: string): JsonObject {
  const schema = jsonSchemaOf(row.schema);
  const bytes = schema.type === 'string' && BINARY_TYPES.includes(textType);
  if (bytes) return { [textType]: { schema: { ...schema, format: 'binary' } } };
  const type = schema.type === 'string' ? textType : JSON_TYPE;
  return { [type]: { schema, ...(row.example === undefined ? {} : { example: row.example }) } };
}
