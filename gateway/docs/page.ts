/**
 * The documentation at `/docs`: the OpenAPI document as a page to read, rendered once. Without its
 * script everything is there to read; with it the page can be searched.
 */
import { type ApiDocument, type Entry, entriesOf, needsKey } from './api-document.ts';
import { ERRORS, LIMITS, renderErrors, renderLimits } from './bounds.ts';
import { EVENTS, renderEvents } from './events.ts';
import { renderFields } from './fields.ts';
import { GUIDE, RULES, renderGuide, renderRules } from './guide.ts';
import { escaped, prose } from './html.ts';
import { type Resource, renderResource, resourcesOf } from './operations.ts';

const RECORDS = { anchor: 'registros', title: 'Registros' };

/** @param document the OpenAPI document, serialized */
export function renderDocs(document: string): string {
  const api: ApiDocument = JSON.parse(document);
  const entries = entriesOf(api.paths);
  const events = entriesOf(api.webhooks ?? {});
  const resources = resourcesOf(api, entries);
  const [own, others] = [resources.filter(isForKeys), resources.filter((each) => !isForKeys(each))];
  return [
    renderHead(api),
    '<a class="skip button" href="#conteudo">Ir para o conteúdo</a>',
    renderBar(api),
    `<div class="frame">${renderSide(api, { own, others, events })}`,
    `<main id="conteudo" tabindex="-1">${renderIntroduction(api)}`,
    renderGuide(api, entries),
    renderRules(api),
    ...own.map((resource) => renderResource(api, resource)),
    renderEvents(api, events),
    renderLimits(),
    renderErrors(api),
    renderRecords(api),
    ...others.map((resource) => renderResource(api, resource)),
    '</main></div></body></html>',
  ].join('');
}

/** The others are for networks and for those who operate the service. */
function isForKeys({ entries }: Resource): boolean {
  return entries.some(({ operation }) => needsKey(operation));
}

function renderHead({ info }: ApiDocument): string {
  return [
    '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(info.title)}: API</title>`,
    '<link rel="icon" href="docs/files/icon" type="image/svg+xml">',
    '<link rel="stylesheet" href="docs/files/frame-style">',
    '<link rel="stylesheet" href="docs/files/page-style">',
    '<script type="module" src="docs/files/page-script"></script></head><body>',
  ].join('');
}

function renderBar({ info }: ApiDocument): string {
  return [
    '<header class="bar"><p class="brand"><img src="docs/files/icon" alt="" width="24" height="24">',
    `${escaped(info.title)} <span class="soft">API ${escaped(info.version)}</span></p>`,
    '<a class="button quiet" href="openapi.json">openapi.json</a>',
    '<a class="button main" href="docs/try">Testar no navegador</a></header>',
  ].join('');
}

function renderIntroduction({ info, servers }: ApiDocument): string {
  return [
    `<section class="intro"><h1>API do ${escaped(info.title)}</h1>`,
    `<p class="lead">${prose(info.description ?? '')}</p>`,
    `<p>Endereço: <code>${escaped(servers?.[0]?.url ?? '')}</code></p>`,
    '<p id="achados" class="found" role="status"></p></section>',
  ].join('');
}

interface Group {
  readonly anchor: string;
  readonly title: string;
  /** HTML of links. */
  readonly links?: readonly string[];
}

interface Shown {
  readonly own: readonly Resource[];
  readonly others: readonly Resource[];
  readonly events: readonly Entry[];
}

function renderSide({ components }: ApiDocument, { own, others, events }: Shown): string {
  const groups: readonly Group[] = [
    GUIDE,
    RULES,
    ...own.map(groupOf),
    { ...EVENTS, links: events.map((event) => linkOf(event, 'event')) },
    LIMITS,
    ERRORS,
    { ...RECORDS, links: Object.keys(components?.schemas ?? {}).map(recordLink) },
    ...others.map(groupOf),
  ];
  return [
    '<div class="side"><search class="search" hidden>',
    '<label class="spoken" for="busca">Procurar nesta página</label>',
    '<input class="input" id="busca" type="search" placeholder="Procurar ( / )" autocomplete="off">',
    `</search><nav aria-label="Nesta página"><ul>${groups.map(renderGroup).join('')}</ul></nav>`,
    '</div>',
  ].join('');
}

function groupOf({ anchor, name, entries }: Resource): Group {
  return {
    anchor,
    title: name,
    links: entries.map((each) => linkOf(each, each.verb.toLowerCase())),
  };
}

function renderGroup({ anchor, title, links = [] }: Group): string {
  const list = links.length === 0 ? '' : `<ul>${links.join('')}</ul>`;
  return `<li><a class="group" href="#${anchor}">${escaped(title)}</a>${list}</li>`;
}

function linkOf({ verb, place, operation }: Entry, kind: string): string {
  const id = escaped(operation.operationId);
  const mark = kind === 'event' ? '' : `<span class="verb ${kind}">${escaped(verb)}</span> `;
  return `<li><a href="#${id}">${mark}<span>${escaped(shortened(place))}</span></a></li>`;
}

/** Every path of a reader's begins with the same words. */
function shortened(place: string): string {
  return place.replace(/^\/api(\/v1)?/, '');
}

function recordLink(name: string): string {
  return `<li><a href="#${escaped(name)}">${escaped(name)}</a></li>`;
}

function renderRecords({ components }: ApiDocument): string {
  const records = Object.entries(components?.schemas ?? {}).map(([name, schema]) => {
    const id = escaped(name);
    const fields = renderFields(`Campos de ${name}`, schema, 'service');
    return (
      `<article class="operation wide" aria-labelledby="${id}"><div class="told">` +
      `<h3 id="${id}"><code>${id}</code></h3>${fields}</div></article>`
    );
  });
  return (
    `<section class="resource" aria-labelledby="${RECORDS.anchor}">` +
    `<h2 id="${RECORDS.anchor}">${RECORDS.title}</h2>` +
    `<p class="lead">As formas que as respostas e os eventos têm.</p>${records.join('')}</section>`
  );
}
