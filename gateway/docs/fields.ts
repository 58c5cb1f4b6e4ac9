/** Parameters and fields as tables: name, kind and limits, meaning. */
import {
  type ApiDocument,
  type Operation,
  type Parameter,
  parametersOf,
  referredName,
  type Schema,
} from './api-document.ts';
import { escaped, prose, type Row, table } from './html.ts';

const TITLES = ['Campo', 'Significado'];

const PLACES: Readonly<Record<string, string>> = {
  path: 'no endereço',
  query: 'na consulta',
  header: 'no cabeçalho',
};

/** A parameter that the document refers to is one of every call: the guide has it. */
export function renderParameters(api: ApiDocument, operation: Operation): string {
  const own = operation.parameters?.filter(({ $ref }) => $ref === undefined) ?? [];
  return renderEach('Parâmetros', parametersOf(api, { ...operation, parameters: own }));
}

/** @param label what the parameters are of */
export function renderEach(label: string, parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name = '', in: place = '', required, description = '', schema }): Row => {
      const kind = [kindOf(schema), PLACES[place] ?? ''].filter((fact) => fact !== '').join(' ');
      return [nameCell(name, kind, required === true ? REQUIRED : ''), prose(description)];
    },
  );
  return table({ label, titles: TITLES, kind: 'fields' }, rows);
}

const REQUIRED = '<span class="fact required">obrigatório</span>';
const ABSENT = '<span class="fact">pode faltar</span>';

/**
 * @param label what the fields are of
 * @param by who writes them: a caller has to know what is required, a reader what may be absent
 */
export function renderFields(
  label: string,
  schema: Schema | undefined,
  by: 'caller' | 'service',
): string {
  const required = new Set(schema?.required);
  const rows = Object.entries(schema?.properties ?? {}).map(([name, field]): Row => {
    const mark = by === 'caller' ? REQUIRED : ABSENT;
    const marked = required.has(name) === (by === 'caller');
    return [nameCell(name, kindOf(field), marked ? mark : ''), prose(field.description ?? '')];
  });
  return table({ label, titles: TITLES, kind: 'fields' }, rows);
}

/** @param kind HTML, as `mark` */
function nameCell(name: string, kind: string, mark: string): string {
  return `<code>${escaped(name)}</code><span class="fact">${kind}</span>${mark}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'texto',
  integer: 'inteiro',
  number: 'número',
  boolean: 'booleano',
  object: 'objeto',
  array: 'lista',
  null: 'nulo',
};

/** A field's type and limits in one line of HTML. */
function kindOf(schema: Schema | undefined): string {
  if (!schema) return '';
  if (schema.$ref !== undefined) {
    const name = escaped(referredName(schema));
    return `<a href="#${name}">${name}</a>`;
  }
  if (schema.anyOf) return [...new Set(schema.anyOf.map(kindOf))].join(' ou ');
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const types = [schema.type ?? []].flat().map((type) => TYPES[type] ?? type);
  return [
    escaped(types.join(' ou ')),
    schema.items ? `de ${kindOf(schema.items)}` : '',
    values.map(shownValue).join(' '),
    escaped(boundsOf(schema)),
  ]
    .filter((fact) => fact !== '')
    .join(' ');
}

function shownValue(value: unknown): string {
  return value === '' ? 'vazio' : `<code>${escaped(String(value))}</code>`;
}

function boundsOf(schema: Schema): string {
  const least = schema.minLength === 1 ? undefined : (schema.minLength ?? schema.minimum);
  const most = schema.maxLength ?? schema.maximum ?? schema.maxItems;
  const bounds = [
    least === undefined ? '' : `mín. ${least.toLocaleString('pt-BR')}`,
    most === undefined ? '' : `máx. ${most.toLocaleString('pt-BR')}`,
    schema.default === undefined ? '' : `padrão ${String(schema.default)}`,
  ].filter((bound) => bound !== '');
  return bounds.length === 0 ? '' : `(${bounds.join(', ')})`;
}
