/** Operations of the API by resource, each with its fields, answers and examples. */
import {
  type ApiDocument,
  answersOf,
  type Entry,
  mediaOf,
  needsKey,
  schemaOf,
} from './api-document.ts';
import { callExamples } from './call-examples.ts';
import { renderFields, renderParameters } from './fields.ts';
import { anchorOf, escaped, prose, type Row, table } from './html.ts';
import { renderJson, renderTabs } from './tabs.ts';

export interface Resource {
  readonly name: string;
  readonly description: string;
  /** The `id` of its section. */
  readonly anchor: string;
  readonly entries: readonly Entry[];
}

/** In the order of the document's tags; a tag without an operation is left out. */
export function resourcesOf(api: ApiDocument, entries: readonly Entry[]): readonly Resource[] {
  return (api.tags ?? [])
    .map(({ name, description = '' }) => ({
      ...{ name, description, anchor: anchorOf(name) },
      entries: entries.filter(({ operation }) => operation.tags?.includes(name)),
    }))
    .filter((resource) => resource.entries.length > 0);
}

export function renderResource(api: ApiDocument, resource: Resource): string {
  const { name, description, anchor, entries } = resource;
  return [
    `<section class="resource" aria-labelledby="${anchor}">`,
    `<h2 id="${anchor}">${escaped(name)}</h2><p class="lead">${prose(description)}</p>`,
    ...entries.map((entry) => renderOperation(api, entry)),
    '</section>',
  ].join('');
}

function renderOperation(api: ApiDocument, entry: Entry): string {
  const { verb, place, operation } = entry;
  const { operationId, summary = '', description = '' } = operation;
  const id = escaped(operationId);
  return [
    `<article class="operation" aria-labelledby="${id}"><div class="told">`,
    `<h3 id="${id}"><span class="verb ${verb.toLowerCase()}">${escaped(verb)}</span> `,
    `<code>${escaped(place)}</code></h3><p class="summary">${prose(summary)}</p>`,
    `<p>${prose(description)}</p>${renderAccess(entry)}`,
    part('Parâmetros', renderParameters(api, operation)),
    part('Corpo', renderBody(api, entry)),
    part('Respostas', renderAnswers(api, entry)),
    `</div><div class="shown">${renderTabs(operationId, callExamples(api, entry))}`,
    `${renderAnswerExamples(api, entry)}</div></article>`,
  ].join('');
}

function part(title: string, html: string): string {
  return html === '' ? '' : `<h4>${title}</h4>${html}`;
}

/** Networks sign their own calls: no reader can try those. */
function renderAccess({ operation, place }: Entry): string {
  const key = needsKey(operation) ? 'com chave' : 'sem chave';
  const [tag = ''] = operation.tags ?? [];
  const way = `docs/try#/${encodeURIComponent(tag)}/${encodeURIComponent(operation.operationId)}`;
  const link = place.startsWith('/networks/')
    ? ''
    : ` <a href="${way}">Testar<span class="spoken"> ${escaped(operation.operationId)}</span></a>`;
  return `<p class="access"><span class="tag">${key}</span>${link}</p>`;
}

function renderBody(api: ApiDocument, { operation }: Entry): string {
  const media = mediaOf(operation.requestBody?.content);
  return renderFields('Corpo', schemaOf(api, media?.schema), 'caller');
}

/** On every answer: told once, by the guide. */
const COMMON_HEADERS: ReadonlySet<string> = new Set([
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'X-Ignored',
]);

function renderAnswers(api: ApiDocument, { operation }: Entry): string {
  const rows = answersOf(api, operation).map(({ status, answer }): Row => {
    const names = Object.keys(answer.headers ?? {}).filter((name) => !COMMON_HEADERS.has(name));
    const listed = names.map((name) => `\`${name}\``).join(', ');
    const headers = listed === '' ? '' : ` <span class="soft">Pode trazer ${prose(listed)}.</span>`;
    return [`<code>${escaped(status)}</code>`, prose(answer.description ?? '') + headers];
  });
  return table({ label: 'Respostas', titles: ['Estado', 'Quando'], kind: 'statuses' }, rows);
}

function renderAnswerExamples(api: ApiDocument, { operation }: Entry): string {
  return answersOf(api, operation)
    .filter(({ status }) => status.startsWith('2'))
    .map(({ status, answer }) =>
      renderJson(`Resposta <code>${escaped(status)}</code>`, mediaOf(answer.content)?.example),
    )
    .join('');
}
