/** The OpenAPI 3.1 document (contract section 9), made from the table of routes. */
import { FAILURES } from '../shared/failures.ts';
import {
  componentReference,
  componentSchemas,
  type JsonObject,
  jsonSchemaOf,
} from './json-schema.ts';
import type { AnswerRow, Route } from './route.ts';
import type { RequestSchema } from './validate.ts';

const VERSION = '1.0.0';
const JSON_TYPE = 'application/json';

const DESCRIPTION = [
  'Atendimento e automação por mensagens nos números conectados.',
  'Toda resposta é JSON em UTF-8 com o resultado em `data`; listas paginadas trazem ao lado',
  '`page`, `limit` e `total`. Datas são ISO 8601 em UTC com milissegundos.',
  'Páginas profundas custam mais que as primeiras.',
].join(' ');

const SECURITY = [{ bearer: [] }, { apiKey: [] }];

/** The document, serialized once. @param publicUrl without a trailing slash */
export function buildDocument(routes: readonly Route[], publicUrl: string): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'Recado',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths: pathsOf(routes),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      schemas: componentSchemas(),
      headers: HEADERS,
      responses: REFUSALS,
    },
  });
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
  const parameters = parametersOf(route);
  const api = route.entrance === 'api' ? route : null;
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    security: api ? SECURITY : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(api?.body ? { requestBody: requestBodyOf(api.body, api.bodyExample) } : {}),
    responses: { ...answersOf(route), ...refusalsOf(route) },
  };
}

function parametersOf(route: Route): readonly JsonObject[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = route.entrance === 'api' ? route.query : null;
  return query ? [...inPath, ...queryParametersOf(query)] : inPath;
}

function queryParametersOf(query: RequestSchema<unknown>): readonly JsonObject[] {
  const { properties, required } = jsonSchemaOf(query);
  return Object.keys(query.entries).map((name) => ({
    name,
    in: 'query',
    required: Array.isArray(required) && required.includes(name),
    schema: isJsonObject(properties) ? properties[name] : {},
  }));
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function requestBodyOf(schema: RequestSchema<unknown>, example: unknown): JsonObject {
  return {
    required: true,
    content: {
      [JSON_TYPE]: {
        schema: jsonSchemaOf(schema),
        ...(example === undefined ? {} : { example }),
      },
    },
  };
}

function answersOf(route: Route): JsonObject {
  const rates = route.entrance === 'api' ? RATE_HEADERS : {};
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, row]) => [
      status,
      {
        description: row.description,
        headers: { 'X-Request-Id': headerReference('X-Request-Id'), ...rates },
        content: contentOf(row),
      },
    ]),
  );
}

function contentOf(row: AnswerRow): JsonObject {
  const schema = jsonSchemaOf(row.schema);
  const type = schema.type === 'string' ? 'text/plain' : JSON_TYPE;
  return { [type]: { schema, ...(row.example === undefined ? {} : { example: row.example }) } };
}

/** What every row of an entrance may answer beside its own refusals. */
function refusalsOf(route: Route): JsonObject {
  const statuses = new Set<number>(route.refusals ?? []);
  if (route.entrance === 'api') {
    for (const status of [401, 429, 500]) statuses.add(status);
    if (route.query || route.body) statuses.add(422);
    if (route.body) for (const status of [400, 413]) statuses.add(status);
  } else if (route.entrance === 'network') {
    for (const status of [401, 413, 500]) statuses.add(status);
    if (route.method === 'GET') statuses.delete(413);
  }
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [String(status), { $ref: `#/components/responses/${status}` }]),
  );
}

function headerReference(name: keyof typeof HEADERS): JsonObject {
  return { $ref: `#/components/headers/${name}` };
}

const HEADERS = {
  'X-Request-Id': {
    description: 'O id da chamada: o enviado no mesmo cabeçalho, ou um novo.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'O que resta (`r`) das janelas da chave e da organização, e segundos até o fim.',
    schema: { type: 'string', examples: ['"key";r=87;t=23, "org";r=512;t=23'] },
  },
  'RateLimit-Policy': {
    description: 'Chamadas (`q`) por janela de `w` segundos.',
    schema: { type: 'string', examples: ['"key";q=120;w=60, "org";q=600;w=60'] },
  },
  'Retry-After': {
    description: 'Segundos até poder tentar de novo.',
    schema: { type: 'integer', minimum: 1 },
  },
};

const RATE_HEADERS = {
  RateLimit: headerReference('RateLimit'),
  'RateLimit-Policy': headerReference('RateLimit-Policy'),
};

const REFUSALS: JsonObject = Object.fromEntries(
  [
    [400, 'O corpo não é JSON.', FAILURES.bad_json.sentence],
    [401, 'Chave ou assinatura ausente, inválida ou revogada.', FAILURES.unauthorized.sentence],
    [403, 'Fora do escopo da chave.', FAILURES.other_channel.sentence],
    [404, 'Não encontrado.', FAILURES.channel_not_found.sentence],
    [
      409,
      'Existe, mas não pode agora; o motivo vem em `error`.',
      FAILURES.channel_not_ready.sentence,
    ],
    [413, 'O corpo é grande demais.', FAILURES.body_too_large.sentence],
    [422, 'Dados recusados; `issues` aponta cada campo.', FAILURES.invalid.sentence],
    [429, 'Limite de chamadas excedido.', FAILURES.rate_limited.sentence],
    [500, 'Falha do serviço.', FAILURES.fault.sentence],
  ].map(([status, description, error]) => [
    String(status),
    refusalOf({ status, description, error }),
  ]),
);

function refusalOf(row: { status: unknown; description: unknown; error: unknown }): JsonObject {
  const { status, description, error } = row;
  const validation = status === 422;
  const issues = [{ path: 'phone', message: 'Telefone inválido.' }];
  return {
    description,
    headers: {
      'X-Request-Id': headerReference('X-Request-Id'),
      ...(status === 429 ? { 'Retry-After': headerReference('Retry-After'), ...RATE_HEADERS } : {}),
    },
    content: {
      [JSON_TYPE]: {
        schema: componentReference(validation ? 'ValidationError' : 'Error'),
        example: validation ? { error, issues } : { error },
      },
    },
  };
}
