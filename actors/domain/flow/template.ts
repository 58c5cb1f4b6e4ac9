/**
 * Liquid templates of flows, over contact, conversation, organization and answers.
 *
 * 1. Rendering is pure: it reads no file, has no randomness, and `now` is a parameter.
 * 2. Its cost is bounded: length of the source, time, and allocated objects.
 * 3. Templates read own properties only: none reaches a prototype.
 */
import { Liquid, type Template } from 'liquidjs';
import {
  FLOW_TEMPLATE_MAX_CHARS,
  FLOW_TEMPLATE_MEMORY_MAX,
  FLOW_TEMPLATE_RENDER_MS,
} from '../../../shared/limits.ts';

export interface TemplateScope {
  readonly contact: Readonly<Record<string, unknown>>;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly org: Readonly<{ name: string; timeZone: string }>;
  readonly answers: Readonly<Record<string, unknown>>;
  /** Ids of pressed buttons and rows, by the answer's name. */
  readonly chosen: Readonly<Record<string, string>>;
  /** ISO 8601: value of `'now'` and `'today'` in the date filters. */
  readonly now: string;
}

export type Rendered = { readonly text: string } | { readonly failed: string };

/** Tags that read other templates; the remaining ones are text, conditions, loops and variables. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];
const RANDOM_FILTERS = ['sample'];
const DATE_FILTERS = [
  'date',
  'date_to_xmlschema',
  'date_to_rfc822',
  'date_to_string',
  'date_to_long_string',
];
/** Parsed templates; beyond them all are forgotten. */
const CACHED_MAX = 2_000;

const engine = createEngine();
const parsed = new Map<string, readonly Template[]>();

/** Why a template cannot be read; null when it can. */
export function templateProblem(source: string): string | null {
  try {
    parse(source);
    return null;
  } catch (cause) {
    if (cause instanceof Error) return messageOf(cause);
    throw cause;
  }
}

/** Segment of a variable's path: a name, an index, or null where it is computed. */
export type Segment = string | number | null;

/** Keywords of tags, which are no variables: `{% for … offset: continue %}`. */
const TAG_WORDS = new Set(['continue']);

/** Variables that a template reads and does not set itself; none if it cannot be read. */
export function variablesOf(source: string): readonly (readonly Segment[])[] {
  if (templateProblem(source) !== null) return [];
  const { globals, locals } = engine.analyzeSync([...parse(source)], { partials: false });
  return Object.values(globals)
    .flat()
    .map(({ segments }) => segments.map((each) => (typeof each === 'object' ? null : each)))
    .filter(
      ([root]) => typeof root === 'string' && !Object.hasOwn(locals, root) && !TAG_WORDS.has(root),
    );
}

/** A template that exceeds a limit, or cannot be read, returns `failed` and does not throw. */
export function renderTemplate(source: string, scope: TemplateScope): Rendered {
  try {
    return { text: String(engine.renderSync([...parse(source)], { ...scope })) };
  } catch (cause) {
    if (cause instanceof Error) return { failed: messageOf(cause) };
    throw cause;
  }
}

function parse(source: string): readonly Template[] {
  const known = parsed.get(source);
  if (known) return known;
  const templates = engine.parse(source);
  if (parsed.size >= CACHED_MAX) parsed.clear();
  parsed.set(source, templates);
  return templates;
}

/** First line of the message: the rest quotes the template. */
function messageOf(error: Error): string {
  return error.message.split('\n')[0] ?? error.message;
}

function createEngine(): Liquid {
  const liquid = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    // Each code point of the limit may be two units.
    parseLimit: FLOW_TEMPLATE_MAX_CHARS * 2,
    renderLimit: FLOW_TEMPLATE_RENDER_MS,
    memoryLimit: FLOW_TEMPLATE_MEMORY_MAX,
    locale: 'pt-BR',
    dateFormat: '%d/%m/%Y %H:%M',
  });
  for (const name of FILE_TAGS) delete liquid.tags[name];
  for (const name of RANDOM_FILTERS) delete liquid.filters[name];
  for (const name of DATE_FILTERS) withoutClock(liquid, name);
  return liquid;
}

/** The scope given to the rendering, unaffected by the template's assignments. */
function scopeOf(environments: object): Partial<Pick<TemplateScope, 'now' | 'org'>> {
  return environments;
}

type Filter = Extract<Liquid['filters'][string], (...given: never[]) => unknown>;
type Filtering = ThisParameterType<Filter>;

/** `now` is the scope's; local times are the organization's unless the template names a zone. */
function withoutClock(liquid: Liquid, name: string): void {
  const original = liquid.filters[name];
  if (typeof original !== 'function') return;
  liquid.registerFilter(name, function (this: Filtering, value: unknown, ...args: unknown[]) {
    const { now, org } = scopeOf(this.context.environments);
    const at = value === 'now' || value === 'today' ? now : value;
    const local = name === 'date' && args.length < 2 ? [args[0], org?.timeZone] : args;
    return original.call(this, at, ...local);
  });
}
