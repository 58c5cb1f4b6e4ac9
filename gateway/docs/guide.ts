/** The first sections of the page: from a key to a delivered message, the rules of every call. */
import type { ApiDocument, Entry } from './api-document.ts';
import { callExamples, KEY_VARIABLE } from './call-examples.ts';
import { renderEach } from './fields.ts';
import { escaped, prose, table } from './html.ts';
import { renderTabs } from './tabs.ts';

interface Step {
  readonly title: string;
  readonly text: string;
  /** The operation whose call it shows. */
  readonly operationId?: string;
  /** Of a shell. */
  readonly command?: string;
}

const STEPS: readonly Step[] = [
  {
    title: 'Tenha uma chave',
    text:
      'No painel, em **Integrações**, “Nova chave”. Ela aparece uma só vez. Os exemplos desta ' +
      `página a leem de \`${KEY_VARIABLE}\`, e podem ser colados como estão.`,
    command: `export ${KEY_VARIABLE}='rcd_…'`,
  },
  {
    title: 'Confira a chave',
    text: 'A resposta diz de qual organização ela é, e se alcança todos os canais ou um só.',
    operationId: 'getMe',
  },
  {
    title: 'Escolha um canal',
    text: 'Guarde o `id` de um canal com `"ready": true`; em `reason` está o motivo dos outros.',
    operationId: 'listChannels',
  },
  {
    title: 'Envie uma mensagem',
    text:
      'Troque `channelId` pelo seu canal e `phone` pelo seu número. O 201 diz que a mensagem foi ' +
      'aceita e está na fila; guarde `conversationId`.',
    operationId: 'sendMessage',
  },
  {
    title: 'Acompanhe',
    text:
      'Com o `conversationId` da resposta, a conversa mostra a mensagem em `queued`, `sent`, ' +
      '`delivered` e `read`, ou em `failed` com o motivo.',
    operationId: 'listMessages',
  },
  {
    title: 'Ouça os eventos',
    text:
      'No painel, em **Integrações**, “Nova assinatura” com o endereço do seu sistema. Cada ' +
      'evento chega por POST, assinado: veja [como receber](#eventos).',
  },
];

export const GUIDE = { anchor: 'inicio-rapido', title: 'Início rápido' };
export const RULES = { anchor: 'como-chamar', title: 'Como chamar' };

export function renderGuide(api: ApiDocument, entries: readonly Entry[]): string {
  const steps = STEPS.map(({ title, text, operationId, command }) => {
    const entry = entries.find(({ operation }) => operation.operationId === operationId);
    const codes = entry ? callExamples(api, entry) : [];
    const shown = command === undefined ? '' : `<pre><code>${escaped(command)}</code></pre>`;
    return (
      `<li><div class="told"><h3>${escaped(title)}</h3><p>${marked(text)}</p></div>` +
      `<div class="shown">${shown}${renderTabs(`inicio-${operationId}`, codes)}</div></li>`
    );
  });
  return (
    `<section class="resource" aria-labelledby="${GUIDE.anchor}">` +
    `<h2 id="${GUIDE.anchor}">${GUIDE.title}</h2>` +
    '<p class="lead">Cinco minutos, da chave à primeira mensagem entregue.</p>' +
    `<ol class="steps">${steps.join('')}</ol></section>`
  );
}

/** A sentence of ours with code, strong words and links. */
function marked(text: string): string {
  return prose(text)
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^\]]+)\]\((#[\w-]+)\)/g, '<a href="$2">$1</a>');
}

const RULE_ROWS: readonly (readonly [name: string, text: string])[] = [
  [
    'Chave',
    'Em `Authorization: Bearer …` ou em `x-api-key`. Nunca em endereços: eles ficam em registros. ' +
      'Uma chave pode só ler, ler e enviar, ou tudo, e pode vencer; `GET /api/v1/me` diz.',
  ],
  [
    'Corpo',
    'JSON em UTF-8, com `Content-Type: application/json`. Campos e parâmetros que a descrição não ' +
      'tem são ignorados, e `X-Ignored` os nomeia.',
  ],
  ['Resposta', 'O resultado está em `data`. Podem surgir propriedades novas: ignore as demais.'],
  [
    'Páginas',
    '`page` a partir de 1 e `limit` até 200. `total` conta todos os itens do filtro; a última ' +
      'página é `total` dividido por `limit`, arredondado para cima.',
  ],
  ['Datas', 'ISO 8601 em UTC com milissegundos; dias são AAAA-MM-DD no fuso da organização.'],
  [
    'Repetir sem duplicar',
    'Envie `Idempotency-Key` nos POST. Sem resposta, com 429 ou 5xx, repita com a mesma chave: a ' +
      'mesma chamada em 24 horas recebe a resposta guardada, com `Idempotent-Replayed`.',
  ],
  [
    'Ritmo',
    'As respostas trazem `RateLimit-Policy`, a regra, e `RateLimit`, o que resta dela. Com 429, ' +
      'espere os segundos de `Retry-After`.',
  ],
  [
    'Suporte',
    'Toda resposta traz `X-Request-Id`: o que você enviou, ou um novo. Com ele quem opera acha a ' +
      'chamada nos registros.',
  ],
];

/** The rules that hold for every call, with the headers that any of them may have. */
export function renderRules({ components }: ApiDocument): string {
  const rows = RULE_ROWS.map(([name, text]) => [escaped(name), prose(text)]);
  const answered = Object.entries(components?.headers ?? {}).map(([name, header]) => ({
    ...{ name, description: header.description ?? '' },
  }));
  return [
    `<section class="resource" aria-labelledby="${RULES.anchor}">`,
    `<h2 id="${RULES.anchor}">${RULES.title}</h2>`,
    table({ label: RULES.title, titles: ['Assunto', 'Regra'] }, rows),
    '<h3>Cabeçalhos de uma chamada</h3>',
    renderEach('Cabeçalhos de uma chamada', Object.values(components?.parameters ?? {})),
    '<h3>Cabeçalhos de uma resposta</h3>',
    renderEach('Cabeçalhos de uma resposta', answered),
    '</section>',
  ].join('');
}
