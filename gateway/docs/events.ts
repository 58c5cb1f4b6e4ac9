/** Events that subscribers get: how to receive one, and each with its payload. */
import {
  type ApiDocument,
  type Entry,
  mediaOf,
  referredName,
  type Schema,
  schemaOf,
} from './api-document.ts';
import { renderEach, renderFields } from './fields.ts';
import { escaped, prose } from './html.ts';
import { renderJson, renderTabs } from './tabs.ts';
import { VERIFICATION } from './verification.ts';

export const EVENTS = { anchor: 'eventos', title: 'Eventos' };

const STEPS: readonly string[] = [
  'Confira uma das duas assinaturas **sobre os bytes do corpo**, antes de ler o JSON.',
  'Responda 2xx em até 10 segundos e trabalhe depois. Um redirecionamento conta como falha.',
  'Lembre dos ids de entrega já vistos: a mesma entrega pode chegar duas vezes, com os mesmos bytes.',
  'Ordene por `occurredAt`: uma entrega repetida chega depois de outras mais novas.',
  'Evite ciclos: uma mensagem enviada pela API volta como `message.sent` com `"origin": "api"`.',
];

export function renderEvents(api: ApiDocument, events: readonly Entry[]): string {
  const [first] = events;
  const steps = STEPS.map((text) => {
    const html = prose(text).replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
    return `<li>${html}</li>`;
  });
  return [
    `<section class="resource" aria-labelledby="${EVENTS.anchor}">`,
    `<h2 id="${EVENTS.anchor}">${EVENTS.title}</h2>`,
    '<p class="lead">O que acontece chega ao endereço de cada assinatura, por POST assinado.</p>',
    '<article class="operation wide" aria-labelledby="receber-eventos"><div class="told">',
    '<h3 id="receber-eventos">Receber um evento</h3>',
    `<ol class="rules">${steps.join('')}</ol>`,
    first ? `<h4>Cabeçalhos</h4>${renderHeaders(first)}` : '',
    `</div><div class="shown">${renderTabs('conferir', VERIFICATION)}</div></article>`,
    ...events.map((event) => renderEvent(api, event)),
    '</section>',
  ].join('');
}

/** Every event has the same ones; the header that names it has another value in each. */
function renderHeaders({ operation }: Entry): string {
  const headers = (operation.parameters ?? []).map(({ name = '', description = '' }) => ({
    ...{ name, description },
  }));
  return renderEach('Cabeçalhos', headers);
}

function renderEvent(api: ApiDocument, { place, operation }: Entry): string {
  const { operationId, summary = '', description = '' } = operation;
  const id = escaped(operationId);
  const media = mediaOf(operation.requestBody?.content);
  const data = media?.schema?.properties?.data;
  return [
    `<article class="operation" aria-labelledby="${id}"><div class="told">`,
    `<h3 id="${id}"><span class="verb event">evento</span> <code>${escaped(place)}</code></h3>`,
    `<p class="summary">${prose(summary)}</p><p>${prose(membershipOf(description))}</p>`,
    `<h4>Campos de <code>data</code></h4>${renderData(api, data)}`,
    `</div><div class="shown">${renderJson('Corpo', media?.example)}</div></article>`,
  ].join('');
}

/** The first sentence: the rest is the same for every event, and told before them. */
function membershipOf(description: string): string {
  return description.split(/(?<=\.) /)[0] ?? '';
}

/** The fields once, where the records are: many events have the same. */
function renderData(api: ApiDocument, data: Schema | undefined): string {
  if (data?.$ref === undefined)
    return renderFields('Campos de data', schemaOf(api, data), 'service');
  const name = escaped(referredName(data));
  return `<p>Os de <a href="#${name}">${name}</a>.</p>`;
}
