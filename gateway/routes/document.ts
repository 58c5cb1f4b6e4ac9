/** GET /openapi.json (contract section 9), served from a string made once at the start. */
import * as v from 'valibot';
import { openRoute, type Route } from '../route.ts';

export const DOCUMENT_ROUTES: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'Esta descrição da API, em OpenAPI 3.1.',
    tag: 'Descrição',
    answers: { 200: { description: 'O documento OpenAPI.', schema: v.looseObject({}) } },
    answer: (gateway) => ({ status: 200, body: gateway.document }),
  }),
];
