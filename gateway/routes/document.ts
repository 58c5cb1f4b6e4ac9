/**
 * GET /openapi.json (C9.2), and the pages that show it: `/docs` to read (D261), `/docs/try` to call
 * (D262), with their files (D263). The client package is made from it too (D267). All is made
 * once, at its first use.
 */
import * as v from 'valibot';
import { failure } from '../../shared/failures.ts';
import { GenerationalCache } from '../../shared/generational-cache.ts';
import { findFile, type TaggedFile, tagged } from '../docs/files.ts';
import { renderDocs } from '../docs/page.ts';
import { FILE_POLICY, fileReply, PAGE_POLICY, packageReply, TRY_POLICY } from '../docs/reply.ts';
import { triableOf } from '../docs/triable.ts';
import { renderTryPage } from '../docs/try-page.ts';
import type { Gateway } from '../gateway.ts';
import { type Reply, refusalReply } from '../http/respond.ts';
import { ANY_TYPE, openRoute, type Route } from '../route.ts';

const GZIP = 'application/gzip';
const HTML = 'text/html; charset=utf-8';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Of a document that is no answer of the API. */
const OPENAPI_TYPE = 'application/vnd.oai.openapi+json';

/** By document: a process has one. */
function madeOnce(
  render: (document: string) => string,
  contentType: string,
): (document: string) => Promise<TaggedFile> {
  const pages = new GenerationalCache<string, Promise<TaggedFile>>(1);
  return (document) => {
    const known = pages.get(document);
    if (known) return known;
    const page = tagged(Buffer.from(render(document)), contentType);
    pages.set(document, page);
    return page;
  };
}

const serialized = madeOnce((document) => document, JSON_TYPE);
const readingPage = madeOnce(renderDocs, HTML);
const tryPage = madeOnce(renderTryPage, HTML);
const triable = madeOnce(triableOf, OPENAPI_TYPE);

const fileOf = (name: string, document: string) =>
  name === 'triable' ? triable(document) : findFile(name);

const PAGE = { description: 'Uma página HTML.', schema: v.string(), contentType: 'text/html' };
const UNCHANGED = { description: 'O navegador já tem esta versão.', schema: v.string() };

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
  return packageReply(bytes, GZIP);
}

export const DOCUMENT_ROUTES: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'Esta descrição da API, em OpenAPI 3.1.',
    description: 'O próprio documento.',
    tag: 'Descrição',
    answers: {
      200: { description: 'O documento OpenAPI.', schema: v.looseObject({}) },
      304: UNCHANGED,
    },
    answer: async ({ document }, request) => {
      const headers = request.headers();
      return fileReply(await serialized(document), headers, FILE_POLICY);
    },
  }),
  openRoute({
    method: 'GET',
    path: '/docs',
    operationId: 'getDocumentation',
    summary: 'Esta descrição da API, como página.',
    description: 'O mesmo conteúdo de `/openapi.json`, para ler no navegador.',
    tag: 'Descrição',
    answers: { 200: PAGE, 304: UNCHANGED },
    answer: async ({ document }, request) => {
      const headers = request.headers();
      return fileReply(await readingPage(document), headers, PAGE_POLICY);
    },
  }),
  openRoute({
    method: 'GET',
    path: '/docs/try',
    operationId: 'getTryPage',
    summary: 'Uma página que chama a API.',
    description: 'As chamadas saem do navegador com a sua chave, que não fica guardada.',
    tag: 'Descrição',
    answers: { 200: PAGE, 304: UNCHANGED },
    answer: async ({ document }, request) => {
      const headers = request.headers();
      return fileReply(await tryPage(document), headers, TRY_POLICY);
    },
  }),
  openRoute({
    method: 'GET',
    path: '/docs/files/{name}',
    pathId: { description: 'Id do arquivo.', example: 'page-style' },
    operationId: 'getDocumentationFile',
    summary: 'Um arquivo das páginas da documentação.',
    description: 'Estilos e programas de `/docs` e de `/docs/try`.',
    tag: 'Descrição',
    answers: {
      200: { description: 'Os bytes do arquivo.', schema: v.string(), contentType: ANY_TYPE },
      304: UNCHANGED,
    },
    refusals: [404],
    answer: async ({ document }, request) => {
      const headers = request.headers();
      const file = await fileOf(request.params.name ?? '', document);
      return file ? fileReply(file, headers, FILE_POLICY) : refusalReply(failure('file_not_found'));
    },
  }),
  openRoute({
    method: 'GET',
    path: '/docs/recado-client.tgz',
    operationId: 'getClientPackage',
    summary: 'O cliente em TypeScript desta API, como pacote que o npm instala.',
    description: 'Para `npm install` com este endereço. O pacote não depende de nenhum outro.',
    tag: 'Descrição',
    answers: { 200: { description: 'O pacote.', schema: v.string(), contentType: GZIP } },
    answer: answerClient,
  }),
];
