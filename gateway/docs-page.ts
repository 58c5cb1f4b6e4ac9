/**
 * Documentation page at `/docs`: the OpenAPI document in readable form, rendered once at start. It
 * is plain HTML from the same origin without scripts, and has the content of `/openapi.json`. The
 * order: operations, the events that subscribers get, the schemas of both.
 */

interface Referring {
  readonly $ref?: string;
}

interface Schema extends Referring {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Parameter extends Referring {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Answer extends Referring {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> };
  readonly responses?: Readonly<Record<string, Answer>>;
}

type Items = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface OpenApi {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Items;
  readonly webhooks?: Items;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Answer>>;
  };
}

/** An operation, with the verb and the path of its heading. */
interface Entry {
  readonly verb: string;
  readonly place: string;
  readonly operation: Operation;
}

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:2rem 1rem}
nav{columns:2;font-size:.9rem}nav a{display:block;text-decoration:none}
h2{border-top:1px solid var(--line);margin-top:3rem;padding-top:1rem}
code,pre{font:.875rem ui-monospace,monospace}
pre{background:var(--soft);border-radius:.5rem;overflow:auto;padding:1rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;vertical-align:top}
.verb{background:var(--soft);border-radius:.3rem;font-weight:600;padding:.1rem .5rem}
`;

/** @param document the OpenAPI document, serialized */
export function renderDocs(document: string): string {
  const api: OpenApi = JSON.parse(document);
  const { title, version, description = '' } = api.info;
  const operations = entriesOf(api.paths);
  const events = entriesOf(api.webhooks ?? {}).map((entry) => ({ ...entry, verb: 'EVENTO' }));
  const records = Object.entries(api.components?.schemas ?? {});
  const links = [...operations, ...events].map(
    ({ verb, place, operation }) =>
      `<a href="#${escaped(operation.operationId)}"><code>${escaped(`${verb} ${place}`)}</code></a>`,
  );
  return [
    '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)} <small>${escaped(version)}</small></h1><p>${prose(description)}</p>`,
    `<p>Base: <code>${escaped(api.servers?.[0]?.url ?? '')}</code> · `,
    `<a href="/openapi.json">openapi.json</a></p><nav>${links.join('')}</nav>`,
    ...operations.map((entry) => renderOperation(api, entry)),
    '<h1>Eventos</h1>',
    ...events.map((entry) => renderOperation(api, entry)),
    '<h1>Registros</h1>',
    ...records.map(([name, schema]) => renderRecord(name, schema)),
    '</body></html>',
  ].join('');
}

function entriesOf(items: Items): readonly Entry[] {
  return Object.entries(items).flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      verb: method.toUpperCase(),
      place,
      operation,
    })),
  );
}

function renderOperation(api: OpenApi, { verb, place, operation }: Entry): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  const open = operation.security?.length === 0 && verb !== 'EVENTO';
  return [
    `<section id="${escaped(operation.operationId)}"><h2><span class="verb">${escaped(verb)}</span> `,
    `<code>${escaped(place)}</code>${open ? ' <em>(sem chave)</em>' : ''}</h2>`,
    `<p>${prose(operation.summary ?? '')}</p><p>${prose(operation.description ?? '')}</p>`,
    renderParameters(api, operation),
    body ? `<h3>Corpo</h3>${renderFields(body.schema)}${renderExample(body.example)}` : '',
    renderAnswers(api, operation),
    '</section>',
  ].join('');
}

function renderRecord(name: string, schema: Schema): string {
  const id = escaped(name);
  return `<section id="${id}"><h2><code>${id}</code></h2>${renderFields(schema)}</section>`;
}

function renderParameters({ components }: OpenApi, { parameters = [] }: Operation): string {
  const rows = parameters
    .map((each) => components?.parameters?.[referredName(each)] ?? each)
    .map(({ name = '', in: place = '', required, description = '', schema }) =>
      renderRow(name, [place, required ? 'obrigatório' : '', kindOf(schema)], description),
    );
  return rows.length === 0 ? '' : `<h3>Parâmetros</h3><table>${rows.join('')}</table>`;
}

function renderFields(schema: Schema | undefined): string {
  const required = new Set(schema?.required);
  const rows = Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const facts = [required.has(name) ? 'obrigatório' : '', kindOf(field)];
    return renderRow(name, facts, field.description ?? '');
  });
  return rows.length === 0 ? '' : `<table>${rows.join('')}</table>`;
}

function renderRow(name: string, facts: readonly string[], description: string): string {
  const told = facts.filter((fact) => fact !== '').join(' · ');
  const about = description === '' ? '' : `<br>${prose(description)}`;
  return `<tr><td><code>${escaped(name)}</code></td><td>${escaped(told)}${about}</td></tr>`;
}

/** A field's type and limits in one line. */
function kindOf(schema: Schema | undefined): string {
  if (!schema) return '';
  if (schema.$ref !== undefined) return referredName(schema);
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' ou ');
  const bounds = [
    bound('mín.', schema.minLength ?? schema.minimum),
    bound('máx.', schema.maxLength ?? schema.maximum ?? schema.maxItems),
    bound('padrão', schema.default),
  ];
  const values = schema.enum ? schema.enum.map(String).join(', ') : '';
  const only = schema.const === undefined ? '' : JSON.stringify(schema.const);
  const items = schema.items ? `de ${kindOf(schema.items)}` : '';
  const type = [schema.type ?? ''].flat().join(' | ');
  return [type, items, values, only, ...bounds].filter((fact) => fact !== '').join(' ');
}

function bound(name: string, value: unknown): string {
  return value === undefined ? '' : `(${name} ${String(value)})`;
}

function renderAnswers({ components }: OpenApi, { responses = {} }: Operation): string {
  const rows = Object.entries(responses).map(([status, given]) => {
    const answer = components?.responses?.[referredName(given)] ?? given;
    const media = Object.values(answer.content ?? {})[0];
    const shown = Number(status) < 300 ? renderExample(media?.example) : '';
    const headers = Object.keys(answer.headers ?? {}).join(', ');
    const told = headers === '' ? '' : `<br><small>${escaped(headers)}</small>`;
    const about = `${prose(answer.description ?? '')}${told}${shown}`;
    return `<tr><td><strong>${escaped(status)}</strong></td><td>${about}</td></tr>`;
  });
  return `<h3>Respostas</h3><table>${rows.join('')}</table>`;
}

function renderExample(example: unknown): string {
  return example === undefined ? '' : `<pre>${escaped(JSON.stringify(example, null, 2))}</pre>`;
}

/** The last word of a reference, empty where there is none. */
function referredName({ $ref = '' }: Referring): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** A sentence, with its backquoted words as code. */
function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
