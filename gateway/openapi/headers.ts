/** The headers of requests and answers, as the OpenAPI document names them. */
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../shared/limits.ts';
import type { JsonObject } from '../json-schema.ts';
import { type Route, takesBody } from '../route.ts';

/** `components/headers`: headers of answers. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'O id da chamada: o enviado no mesmo cabeçalho, ou um novo.',
    required: true,
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'O que resta (`r`) das janelas da chave e da organização, e segundos até o fim (`t`). ' +
      'Presente depois que a chave foi aceita.',
    schema: { type: 'string', examples: ['"key";r=87;t=23, "org";r=512;t=23'] },
  },
  'RateLimit-Policy': {
    description:
      'Chamadas (`q`) por janela de `w` segundos. Presente depois que a chave foi aceita.',
    schema: { type: 'string', examples: ['"key";q=120;w=60, "org";q=600;w=60'] },
  },
  'WWW-Authenticate': {
    description: 'Como enviar a chave; presente quando falta uma chave válida.',
    schema: { type: 'string', enum: ['Bearer'] },
  },
  'Retry-After': {
    description: 'Segundos até poder tentar de novo.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Idempotent-Replayed': {
    description: 'Presente quando a resposta é a guardada de uma chamada anterior.',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Ignored': {
    description:
      'Parâmetros e campos enviados que a operação não tem e por isso ignorou, até 20. Um nome ' +
      'fora de `[A-Za-z0-9_.-]{1,40}` é `?`.',
    schema: { type: 'string', examples: ['tag, dueAt'] },
  },
  'X-Event-Header-Prefix': {
    description: 'O prefixo dos cabeçalhos de uma entrega por POST, para quem a repassa.',
    schema: { type: 'string', examples: ['X-Service'] },
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** A `headers` object that refers to the components. */
export function headersOf(...names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const RATE_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

/** `components/parameters`: optional headers of any request, or of any POST with a key. */
export const PARAMETERS: JsonObject = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Id da chamada, repetido na resposta e nos registros.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Opcional: a mesma chave com o mesmo valor JSON, em 24 horas, recebe a resposta guardada; ' +
      'com outro, 422; enquanto a primeira chamada não termina, 409. Com ou sem aspas.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS + 2 },
    example: 'pedido-1042-aviso',
  },
};

/** The parameters of a row that are not its path's or its query schema's. */
export function headerParametersOf(route: Route): readonly JsonObject[] {
  const idempotent = route.entrance === 'api' && takesBody(route);
  return [
    ...(route.ownParameters ?? []),
    ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    { $ref: '#/components/parameters/RequestId' },
  ];
}
