/**
 * Tools of `/mcp`: a table over the table of routes. Each row of `api` is one, under its
 * operationId, unless the row says otherwise (D258). Path, query and body share one object of
 * arguments, described by the schemas that validate them.
 */
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../shared/limits.ts';
import type { Access, Scope } from '../../shared/vocabulary.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import { mayCall } from '../access.ts';
import type { JsonObject } from '../json-schema.ts';
import { isObject } from '../openapi/descriptions.ts';
import { bodySchemaOf, pathParametersOf, queryParametersOf } from '../openapi/document.ts';
import type { ApiRoute } from '../route.ts';
import { ROUTES } from '../routes.ts';

/** The argument in place of the header `Idempotency-Key`. */
export const IDEMPOTENCY_ARGUMENT = 'idempotencyKey';
const CHANNEL_ARGUMENT = 'channelId';

const IDEMPOTENCY_SCHEMA: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: IDEMPOTENCY_KEY_MAX_CHARS,
  description:
    'Opcional: repetir a chamada com a mesma chave e os mesmos argumentos, em 24 horas, não a ' +
    'executa de novo. Use uma chave nova para cada intenção.',
};

const TOOL_ROUTES = ROUTES.filter(
  (route): route is ApiRoute => route.entrance === 'api' && route.isTool !== false,
);

export function findTool(name: string): ApiRoute | undefined {
  return TOOL_ROUTES.find(({ operationId }) => operationId === name);
}

interface Tool {
  readonly access: Access;
  readonly shown: JsonObject;
}

function toolsOf(scope: Scope): readonly Tool[] {
  return TOOL_ROUTES.map((route) => ({ access: route.access, shown: toolOf(route, scope) }));
}

const TOOLS: Readonly<Record<Scope, readonly Tool[]>> = {
  account: toolsOf('account'),
  channel: toolsOf('channel'),
};

/**
 * As `tools/list` shows them: those that the key may call. A channel key speaks for one channel, so
 * it names none.
 */
export function toolsFor(caller: Caller): readonly JsonObject[] {
  return TOOLS[caller.scope].flatMap(({ access, shown }) =>
    mayCall(caller, access) ? [shown] : [],
  );
}

function toolOf(route: ApiRoute, scope: Scope): JsonObject {
  return {
    name: route.operationId,
    description: descriptionOf(route),
    inputSchema: inputSchemaOf(route, scope),
    annotations: annotationsOf(route),
  };
}

/** The document's texts, which speak of the header. */
function descriptionOf({ summary, description = '' }: ApiRoute): string {
  return `${summary} ${description}`.replaceAll('`Idempotency-Key`', `\`${IDEMPOTENCY_ARGUMENT}\``);
}

function inputSchemaOf(route: ApiRoute, scope: Scope): JsonObject {
  const parameters = [...pathParametersOf(route), ...queryParametersOf(route)];
  const body = bodySchemaOf(route);
  const properties: Record<string, unknown> = {
    ...Object.fromEntries(
      parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
    ),
    ...(isObject(body.properties) ? body.properties : {}),
    ...(route.body ? { [IDEMPOTENCY_ARGUMENT]: IDEMPOTENCY_SCHEMA } : {}),
  };
  const required = [
    ...parameters.filter((parameter) => parameter.required).map(({ name }) => name),
    ...(Array.isArray(body.required) ? body.required : []),
    ...(route.needsChannel && scope === 'account' ? [CHANNEL_ARGUMENT] : []),
  ];
  if (scope === 'channel') delete properties[CHANNEL_ARGUMENT];
  return { type: 'object', properties, required };
}

/** Every change is told to subscribers and may start a flow, which writes to the contact. */
function annotationsOf({ method, isAdditive = false }: ApiRoute): JsonObject {
  if (method === 'GET') return { readOnlyHint: true, openWorldHint: false };
  return {
    readOnlyHint: false,
    destructiveHint: !isAdditive,
    idempotentHint: !isAdditive,
    openWorldHint: true,
  };
}
