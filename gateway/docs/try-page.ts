/** The page at `/docs/try`: a frame for Swagger UI, which `browser/try.mjs` starts. */
import type { ApiDocument } from './api-document.ts';
import { escaped } from './html.ts';

const STEPS =
  '<ol><li>Em <strong lang="en">Authorize</strong>, cole a sua chave de API. Ela fica só na ' +
  'memória desta página: recarregar a esquece.</li><li>Abra uma operação, troque os valores do ' +
  'exemplo pelos seus e use <strong lang="en">Execute</strong>.</li><li>A chamada é de verdade: ' +
  'uma mensagem enviada aqui chega ao contato.</li></ol>';

/** @param document the OpenAPI document, serialized */
export function renderTryPage(document: string): string {
  const api: ApiDocument = JSON.parse(document);
  const title = escaped(api.info.title);
  return [
    '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${title}: testar a API</title>`,
    '<link rel="icon" href="files/icon" type="image/svg+xml">',
    '<link rel="stylesheet" href="files/frame-style">',
    '<link rel="stylesheet" href="files/swagger-style">',
    '<link rel="stylesheet" href="files/try-style">',
    '<script src="files/swagger-script" defer></script>',
    '<script type="module" src="files/try-script"></script></head><body>',
    '<header class="bar"><p class="brand"><img src="files/icon" alt="" width="24" height="24">',
    `${title} <span class="soft">testar a API</span></p>`,
    '<a class="button quiet" href="../docs">Documentação</a></header>',
    `<main><div class="steps"><h1>Testar a API</h1>${STEPS}</div>`,
    '<h2 class="spoken">Operações</h2><div id="try"></div>',
    '<noscript><p class="alert">Esta página precisa de JavaScript. A <a href="../docs">documentação',
    '</a> se lê sem ele.</p></noscript>',
    '<p id="fault" class="alert" role="alert" hidden>A descrição da API não pôde ser lida. ',
    'Recarregue a página.</p></main></body></html>',
  ].join('');
}
