/** GET /openapi.json (C9.2) and GET /docs, served from strings made once. */
import * as v from 'valibot';
import { GenerationalCache } from '../../shared/generational-cache.ts';
import { renderDocs } from '../docs-page.ts';
import { openRoute, type Route } from '../route.ts';

const HTML = 'text/html; charset=utf-8';

const pages = new GenerationalCache<string, string>(1);

function pageOf(document: string): string {
  const known = pages.get(document);
  if (known !== undefined) return known;
  const page = renderDocs(document);
  pages.set(document, page);
  return page;
}

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
  openRoute({
    method: 'GET',
    path: '/docs',
    operationId: 'getDocumentation',
    summary: 'Esta descrição da API, como página.',
    tag: 'Descrição',
    answers: { 200: { description: 'Uma página HTML.', schema: v.string() } },
    answer: (gateway) => ({ status: 200, body: pageOf(gateway.document), contentType: HTML }),
  }),
];
