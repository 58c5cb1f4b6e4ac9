/** The refusals and faults that an operation may answer (C7). */
import { FAILURES } from '../../shared/failures.ts';
import { componentReference, type JsonObject } from '../json-schema.ts';
import { type Route, takesBody } from '../route.ts';
import { type HeaderName, headersOf, RATE_HEADERS } from './headers.ts';

interface Refusal {
  readonly description: string;
  readonly error: string;
  /** Beside `X-Request-Id`. */
  readonly headers: readonly HeaderName[];
}

const ISSUES = [{ path: 'phone', message: 'Telefone inválido.' }];

const ROWS: Readonly<Record<number, Refusal>> = {
  400: {
    description: 'O corpo não é JSON.',
    error: FAILURES.bad_json.sentence,
    headers: RATE_HEADERS,
  },
  401: {
    description: 'Chave ou assinatura ausente, inválida, revogada ou vencida.',
    error: FAILURES.unauthorized.sentence,
    headers: ['WWW-Authenticate'],
  },
  403: {
    description: 'Fora do escopo ou do acesso da chave.',
    error: FAILURES.other_channel.sentence,
    headers: ['X-Ignored', ...RATE_HEADERS],
  },
  404: {
    description: 'Não encontrado.',
    error: FAILURES.channel_not_found.sentence,
    headers: ['Idempotent-Replayed', 'X-Ignored', ...RATE_HEADERS],
  },
  409: {
    description:
      'Existe, mas não pode agora; o motivo vem em `error`. Com `Retry-After`: a mesma ' +
      '`Idempotency-Key` ainda está em andamento, ou o arquivo ainda não chegou.',
    error: FAILURES.channel_not_ready.sentence,
    headers: ['Retry-After', 'X-Ignored', ...RATE_HEADERS],
  },
  413: {
    description: 'O corpo é grande demais.',
    error: FAILURES.body_too_large.sentence,
    headers: RATE_HEADERS,
  },
  422: {
    description: 'Dados recusados; `issues` aponta cada campo.',
    error: FAILURES.invalid.sentence,
    headers: ['Idempotent-Replayed', 'X-Ignored', ...RATE_HEADERS],
  },
  429: {
    description: 'Limite de chamadas excedido.',
    error: FAILURES.rate_limited.sentence,
    headers: ['Retry-After', ...RATE_HEADERS],
  },
  500: {
    description: 'Falha do serviço; tente novamente com espera crescente.',
    error: FAILURES.fault.sentence,
    headers: RATE_HEADERS,
  },
  503: {
    description: 'Agora não: repita depois de `Retry-After`.',
    error: FAILURES.unavailable.sentence,
    headers: ['Retry-After'],
  },
};

/** The server refuses these before the service sees the request: no JSON, no headers of its own. */
const HEADERS_TOO_LARGE = {
  description: 'Os cabeçalhos da requisição são grandes demais.',
  content: { 'text/html': { schema: { type: 'string' } } },
};

/** `components/responses`. */
export const REFUSALS: JsonObject = {
  ...Object.fromEntries(
    Object.entries(ROWS).map(([status, row]) => [status, responseOf(Number(status), row)]),
  ),
  431: HEADERS_TOO_LARGE,
};

function responseOf(status: number, { description, error, headers }: Refusal): JsonObject {
  const validation = status === FAILURES.invalid.status;
  return {
    description,
    headers: headersOf('X-Request-Id', ...headers),
    content: {
      'application/json': {
        schema: componentReference(validation ? 'ValidationError' : 'Error'),
        example: validation ? { error, issues: ISSUES } : { error },
      },
    },
  };
}

/** Refusals of a route beside its own answers: the route's, and those of its entrance. */
export function refusalsOf(route: Route): JsonObject {
  const statuses = new Set<number>([...(route.refusals ?? []), ...entranceRefusals(route)]);
  const rows = [...statuses].sort((a, b) => a - b).map((status) => [status, referenceTo(status)]);
  return Object.fromEntries(rows);
}

function referenceTo(status: number): JsonObject {
  return { $ref: `#/components/responses/${status}` };
}

function entranceRefusals(route: Route): readonly number[] {
  switch (route.entrance) {
    case 'api':
      return [
        // 422: on any of them a repeated query parameter.
        ...[401, 422, 429, 500],
        // 409: any POST may meet its own Idempotency-Key in progress.
        ...(route.body ? [400] : []),
        ...(takesBody(route) ? [409, 413] : []),
        ...(route.access === 'read' ? [] : [403]),
      ];
    case 'network':
      return route.method === 'POST' ? [400, 401, 413, 500, 503] : [500];
    case 'open':
      return [431, 500];
    default:
      return route satisfies never;
  }
}
