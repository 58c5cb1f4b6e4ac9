/**
 * GET /openapi.json (C9.2), GET /docs and the client package, each made once: the package at its
 * first call.
 */
import * as v from 'valibot';
import { failure } from '../../shared/failures.ts';
import { GenerationalCache } from '../../shared/generational-cache.ts';
import { renderDocs } from '../docs-page.ts';
import type { Gateway } from '../gateway.ts';
import { type Reply, refusalReply } from '../respond.ts';
import { openRoute, type Route } from '../route.ts';

const GZIP = 'application/gzip';
const HTML = 'text/html; charset=utf-8';

const pages = new GenerationalCache<string, string>(1);

function pageOf(document: string): string {
  const known = pages.get(document);
  if (known !== undefined) return known;
  const page = renderDocs(document);
  pages.set(document, page);
  return page;
}

const packages = new GenerationalCache<string, Promise<Uint8Array>>(1);

/** Callers that come meanwhile wait for the same package; the one after a failure makes another. */
function packageOf(document: string, pack: NonNullable<Gateway['packClient']>) {
  const known = packages.get(document);
  if (known) return known;
  const packed = pack(document);
  packages.set(document, packed);
  packed.catch(() => packages.delete(document));
  return packed;
}

async function answerClient({ document, packClient }: Gateway): Promise<Reply> {
  if (!packClient) return refusalReply(failure('route_not_found'));
  const bytes = await packageOf(document, packClient);
  return { status: 200, body: '', bytes, contentType: GZIP };
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
  openRoute({
    method: 'GET',
    path: '/docs/recado-client.tgz',
    operationId: 'getClientPackage',
    summary: 'O cliente em TypeScript desta API, como pacote que o npm instala.',
    tag: 'Descrição',
    answers: { 200: { description: 'O pacote.', schema: v.string() } },
    refusals: [404],
    answer: answerClient,
  }),
];
