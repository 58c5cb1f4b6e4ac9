/**
 * The documentation page at `/docs`: the OpenAPI document as a person reads it, rendered once at
 * start. Plain HTML from the same origin, no scripts: what it shows is what `/openapi.json` says.
 */

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
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

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> };
  readonly responses?: Readonly<
    Record<
      string,
      { readonly description?: string; readonly content?: Readonly<Record<string, Media>> }
    >
  >;
}

interface OpenApi {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
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
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const links = operations.map(
    ({ path, method, operation }) =>
      `<a href="#${escape(operation.operationId ?? path)}"><code>${escape(method.toUpperCase())} ${escape(path)}</code></a>`,
  );
  return `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(api.info.title)}</title><style>${STYLE}</style></head><body><h1>${escape(api.info.title)} <small>${escape(api.info.version)}</small></h1><p>${escape(api.info.description ?? '')}</p><p>Base: <code>${escape(api.servers?.[0]?.url ?? '')}</code> · <a href="/openapi.json">openapi.json</a></p><nav>${links.join('')}</nav>${operations.map(renderOperation).join('')}</body></html>`;
}

function renderOperation(entry: {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}): string {
  const { path, method, operation } = entry;
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  const open = operation.security?.length === 0 ? ' <em>(sem chave)</em>' : '';
  return `<section id="${escape(operation.operationId ?? path)}"><h2><span class="verb">${escape(method.toUpperCase())}</span> <code>${escape(path)}</code>${open}</h2><p>${escape(operation.summary ?? '')}</p>${renderParameters(operation)}${body ? `<h3>Corpo</h3>${renderFields(body.schema)}${renderExample(body.example)}` : ''}${renderAnswers(operation)}</section>`;
}

function renderParameters({ parameters = [] }: Operation): string {
  const rows = parameters
    .filter((parameter) => parameter.name !== undefined)
    .map(({ name = '', in: place = '', required, schema }) =>
      renderRow(name, [place, required ? 'obrigatório' : '', kindOf(schema)]),
    );
  return rows.length === 0 ? '' : `<h3>Parâmetros</h3><table>${rows.join('')}</table>`;
}

function renderFields(schema: Schema | undefined): string {
  const required = new Set(schema?.required);
  const rows = Object.entries(schema?.properties ?? {}).map(([name, field]) =>
    renderRow(name, [required.has(name) ? 'obrigatório' : '', kindOf(field)]),
  );
  return rows.length === 0 ? '' : `<table>${rows.join('')}</table>`;
}

function renderRow(name: string, facts: readonly string[]): string {
  const told = facts.filter((fact) => fact !== '').join(' · ');
  return `<tr><td><code>${escape(name)}</code></td><td>${escape(told)}</td></tr>`;
}

/** A field's type and limits in one line. */
function kindOf(schema: Schema | undefined): string {
  if (!schema) return '';
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' ou ');
  const bounds = [
    bound('mín.', schema.minLength ?? schema.minimum),
    bound('máx.', schema.maxLength ?? schema.maximum ?? schema.maxItems),
    bound('padrão', schema.default),
  ];
  const values = schema.enum ? schema.enum.map(String).join(', ') : '';
  const items = schema.items ? `de ${kindOf(schema.items)}` : '';
  const type = [schema.type ?? ''].flat().join(' | ');
  return [type, items, values, ...bounds].filter((fact) => fact !== '').join(' ');
}

function bound(name: string, value: unknown): string {
  return value === undefined ? '' : `(${name} ${String(value)})`;
}

function renderAnswers({ responses = {} }: Operation): string {
  const rows = Object.entries(responses).map(([status, answer]) => {
    const media = Object.values(answer.content ?? {})[0];
    const shown = Number(status) < 300 ? renderExample(media?.example) : '';
    return `<tr><td><strong>${escape(status)}</strong></td><td>${escape(answer.description ?? '')}${shown}</td></tr>`;
  });
  return `<h3>Respostas</h3><table>${rows.join('')}</table>`;
}

function renderExample(example: unknown): string {
  return example === undefined ? '' : `<pre>${escape(JSON.stringify(example, null, 2))}</pre>`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
