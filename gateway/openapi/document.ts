/** The OpenAPI 3.1 document (C9.2), made from the table of routes. */
import { VERSION } from '../../shared/version.ts';
import { enough } from '../access.ts';
import { componentSchemas, type JsonObject, jsonSchemaOf } from '../json-schema.ts';
import {
  ANY_TYPE,
  type AnswerRow,
  type ApiRoute,
  parameterNames,
  type Route,
  takesBody,
} from '../route.ts';
import { CHANNEL_ID } from '../routes/examples.ts';
import {
  answerDescriptions,
  described,
  isObject,
  requestDescriptions,
  TAG_DESCRIPTIONS,
} from './descriptions.ts';
import { HEADERS, headerParametersOf, headersOf, PARAMETERS, RATE_HEADERS } from './headers.ts';
import { REFUSALS, refusalsOf } from './refusals.ts';
import { EVENTS_TAG, webhooksOf } from './webhooks.ts';

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';
/** Of bytes. */
const BINARY_TYPES: readonly string[] = [ANY_TYPE, 'application/gzip'];
/** The one status whose answer has no body. */
const NOT_MODIFIED = 304;
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
    isObject(schema) ? described(schema, answerDescriptions(name)) : schema,
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
    description: descriptionOf(route),
    tags: [route.tag],
    security: route.entrance === 'api' ? SECURITY : [],
    parameters: parametersOf(route),
    ...(requestBody ? { requestBody } : {}),
    responses: { ...refusalsOf(route), ...answersOf(route) },
  };
}

function descriptionOf(route: Route): string | undefined {
  if (route.entrance !== 'api' || route.access === 'read') return route.description;
  return `${route.description ?? ''} Precisa de uma chave com acesso ${enough(route.access)}.`;
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

const CHANNEL_IN_PATH = { description: 'Id do canal.', example: CHANNEL_ID };

export function pathParametersOf({
  path,
  pathId = CHANNEL_IN_PATH,
}: Pick<Route, 'path' | 'pathId'>): readonly Parameter[] {
  const { description, example } = pathId;
  return parameterNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  }));
}

export function queryParametersOf(route: ApiRoute): readonly Parameter[] {
  const { query, queryExamples = {} } = route;
  if (!query) return [];
  const descriptionOf = requestDescriptions(route.fieldDescriptions);
  const { properties, required } = jsonSchemaOf(query);
  const isRequired = (name: string) =>
    Array.isArray(required) && required.includes(name) && !hasDefault(properties, name);
  return Object.keys(query.entries).map((name) => ({
    name,
    in: 'query',
    required: isRequired(name),
    description: descriptionOf(name),
    schema: propertyOf(properties, name),
    ...(isRequired(name) ? { example: queryExamples[name] } : {}),
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
  if (route.entrance !== 'api') return null;
  if (route.rawMaxBytes !== undefined) {
    const schema = { type: 'string', format: 'binary' };
    return { required: true, content: { [ANY_TYPE]: { schema } } };
  }
  if (!route.body) return null;
  const { bodyExample: example, bodyExamples: examples, mayOmitBody = false } = route;
  const schema = bodySchemaOf(route);
  const shown = examples ? { examples } : example === undefined ? {} : { example };
  return { required: !mayOmitBody, content: { [JSON_TYPE]: { schema, ...shown } } };
}

/** Empty where the row takes no body. */
export function bodySchemaOf({ body, fieldDescriptions }: ApiRoute): JsonObject {
  return body ? described(jsonSchemaOf(body), requestDescriptions(fieldDescriptions)) : {};
}

function answersOf(route: Route): JsonObject {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, row]) => [
      status,
      {
        description: row.description,
        headers: answerHeadersOf(route, Number(status)),
        ...(Number(status) === NOT_MODIFIED ? {} : { content: contentOf(row) }),
      },
    ]),
  );
}

function answerHeadersOf(route: Route, status: number): JsonObject {
  if (route.entrance !== 'api') return headersOf('X-Request-Id');
  const replayable = takesBody(route) && status < 300;
  return headersOf(
    'X-Request-Id',
    ...RATE_HEADERS,
    ...(replayable ? (['Idempotent-Replayed'] as const) : []),
    'X-Ignored',
    ...(status === 409 ? (['Retry-After'] as const) : []),
    ...(route.opensStream ? (['X-Event-Header-Prefix'] as const) : []),
  );
}

function contentOf(row: AnswerRow): JsonObject {
  const schema = jsonSchemaOf(row.schema);
  const type = schema.type === 'string' ? (row.contentType ?? TEXT_TYPE) : JSON_TYPE;
  if (BINARY_TYPES.includes(type)) return { [type]: { schema: { ...schema, format: 'binary' } } };
  return { [type]: { schema, ...(row.example === undefined ? {} : { example: row.example }) } };
}
