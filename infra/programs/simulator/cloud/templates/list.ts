/**
 * Templates as Graph shows them: fields, filters and pages with cursors.
 *
 * Sources: facebook/openapi (v23.0), `/{WABA-ID}/message_templates`; david-lev/pywa 4.4.0,
 * client.py, TemplateDetails and the filters of a list; Meta, "Graph API, Paginated results".
 */
import type { Exchange } from '../../http/exchange.ts';
import { graphError, jsonReply, type Reply } from '../schema/errors.ts';
import type { Template } from './types.ts';

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 1_000;
const DEFAULT_FIELDS = [
  ...['name', 'parameter_format', 'components', 'language', 'status', 'category'],
  'previous_category',
];
const FIELDS: ReadonlySet<string> = new Set([
  ...DEFAULT_FIELDS,
  ...['id', 'quality_score', 'rejected_reason', 'correct_category', 'sub_category'],
  ...['last_updated_time', 'library_template_name', 'message_send_ttl_seconds'],
  ...['cta_url_link_tracking_opted_out', 'degrees_of_freedom_spec'],
]);

/** A template with all fields that Graph may show. */
export function wholeTemplate(template: Template): Readonly<Record<string, unknown>> {
  const { id, name, language, status, category, components, quality, updatedAt } = template;
  return {
    id,
    name,
    parameter_format: template.parameterFormat,
    components,
    language,
    status,
    category,
    previous_category: template.previousCategory,
    quality_score: { score: quality, date: Math.floor(updatedAt / 1000) },
    rejected_reason: template.rejectedReason,
    last_updated_time: new Date(updatedAt).toISOString().replace(/\.\d+Z$/, '+0000'),
  };
}

function shownFields(template: Template, fields: readonly string[]) {
  const whole = wholeTemplate(template);
  const shown = Object.entries(whole).filter(
    ([name, value]) => value !== undefined && fields.includes(name),
  );
  return { ...Object.fromEntries(shown), id: template.id };
}

function fieldsOf(query: URLSearchParams): { readonly fields: readonly string[] } | Reply {
  const asked = query.get('fields');
  if (asked === null) return { fields: DEFAULT_FIELDS };
  const fields = asked
    .split(',')
    .map((field) => field.trim())
    .filter(Boolean);
  const unknown = fields.find((field) => !FIELDS.has(field));
  if (unknown === undefined) return { fields };
  return graphError(
    100,
    `Tried accessing nonexisting field (${unknown}) on node type (WhatsAppMessageTemplate)`,
  );
}

/** `GET /{templateId}`. */
export function shownTemplate(template: Template, { query }: Exchange): Reply {
  const asked = fieldsOf(new URLSearchParams(query));
  return 'fields' in asked ? jsonReply(shownFields(template, asked.fields)) : asked;
}

/** `GET /{WABA}/message_templates`. */
export function listTemplates(all: readonly Template[], exchange: Exchange): Reply {
  const query = new URLSearchParams(exchange.query);
  const asked = fieldsOf(query);
  if (!('fields' in asked)) return asked;
  const limit = Number(query.get('limit') ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1) {
    return graphError(100, 'Param limit must be an integer greater than 0.');
  }
  const found = all.filter((template) => isAsked(template, query));
  const window = pageOf(found, query, Math.min(limit, LIMIT_MAX));
  if (window === null) return graphError(100, 'Invalid cursors values');
  const { from, to } = window;
  const data = found.slice(from, to).map((template) => shownFields(template, asked.fields));
  if (data.length === 0) return jsonReply({ data });
  const cursors = { before: cursorOf(found, from), after: cursorOf(found, to - 1) };
  const next = to < found.length ? { next: pageUrl(exchange, { after: cursors.after }) } : {};
  const previous = from > 0 ? { previous: pageUrl(exchange, { before: cursors.before }) } : {};
  return jsonReply({ data, paging: { cursors, ...next, ...previous } });
}

function isAsked(template: Template, query: URLSearchParams): boolean {
  const { name, language, status, category, quality } = template;
  const content = JSON.stringify(template.components).toLowerCase();
  const has = (whole: string, filter: string) => {
    const part = query.get(filter)?.toLowerCase();
    return part === undefined || whole.includes(part);
  };
  const isOne = (value: string, filter: string) => {
    const words = wordsOf(query.get(filter));
    return words === null || words.includes(value);
  };
  return (
    has(name, 'name') &&
    has(content, 'content') &&
    has(`${name} ${content}`, 'name_or_content') &&
    isOne(language, 'language') &&
    isOne(status, 'status') &&
    isOne(category, 'category') &&
    isOne(quality, 'quality_score')
  );
}

/** One word, a list with commas, or a JSON list. */
function wordsOf(given: string | null): readonly string[] | null {
  if (given === null || given === '') return null;
  return given
    .replace(/[[\]"\s]/g, '')
    .split(',')
    .filter(Boolean);
}

/** Names a place by the template there, so that a change elsewhere does not move it. */
function cursorOf(found: readonly Template[], at: number): string {
  return Buffer.from(`${at}:${found[at]?.id ?? ''}`).toString('base64url');
}

function placeOf(found: readonly Template[], cursor: string): number | null {
  const [, at, id] = /^(\d+):(\d*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at === undefined) return null;
  const place = found.findIndex((each) => each.id === id);
  return place === -1 ? Number(at) - 1 : place;
}

function pageOf(
  found: readonly Template[],
  query: URLSearchParams,
  limit: number,
): { readonly from: number; readonly to: number } | null {
  const after = query.get('after');
  const before = query.get('before');
  if (after !== null && after !== '') {
    const place = placeOf(found, after);
    return place === null ? null : spanOf(found, place + 1, place + 1 + limit);
  }
  if (before !== null && before !== '') {
    const place = placeOf(found, before);
    return place === null ? null : spanOf(found, place - limit, place);
  }
  return spanOf(found, 0, limit);
}

function spanOf({ length }: readonly Template[], from: number, to: number) {
  return { from: Math.min(Math.max(from, 0), length), to: Math.min(Math.max(to, 0), length) };
}

function pageUrl({ request, query }: Exchange, cursor: Readonly<Record<string, string>>): string {
  const asked = new URLSearchParams(query);
  asked.delete('after');
  asked.delete('before');
  for (const [name, value] of Object.entries(cursor)) asked.set(name, value);
  const [path = ''] = (request.url ?? '').split('?');
  return `http://${request.headers.host ?? ''}${path}?${asked}`;
}
