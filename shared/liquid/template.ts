/**
 * Liquid templates of flows and of quick replies, over contact, conversation, organization and
 * answers.
 *
 * 1. Rendering is pure: it reads no file, has no randomness, and `now` is a parameter.
 * 2. Its cost is bounded by the step's budget, which every template of the step spends, and by the
 *    length of the source. Time is the second line only: a slow machine decides as a fast one.
 * 3. Templates read own properties only: none reaches a prototype.
 */
import { Liquid, type Template } from 'liquidjs';
import {
  FLOW_SOURCE_CHARS_PER_UNIT,
  FLOW_STEP_RENDER_MS,
  FLOW_TEMPLATE_MAX_CHARS,
} from '../limits.ts';
import type { Budget } from './budget.ts';
import {
  DATE_FILTERS,
  type Filtering,
  MeteredCase,
  MeteredContext,
  MeteredEmitter,
  meteredOperators,
  withCost,
} from './template-costs.ts';

export interface TemplateScope {
  readonly contact: Readonly<Record<string, unknown>>;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly org: Readonly<{ name: string; timeZone: string }>;
  readonly answers: Readonly<Record<string, unknown>>;
  /** Ids of pressed buttons and rows, by the answer's name. */
  readonly chosen: Readonly<Record<string, string>>;
  /** ISO 8601: value of `'now'` and `'today'` in the date filters. */
  readonly now: string;
  /** Of the step: each rendering spends of it. */
  readonly budget: Budget;
}

export type Rendered = { readonly text: string } | { readonly failed: string };

/** Tags that read other templates; the remaining ones are text, conditions, loops and variables. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];
const RANDOM_FILTERS = ['sample'];
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

/** A template beyond the budget, or one that cannot be read, returns `failed` and does not throw. */
export function renderTemplate(source: string, scope: TemplateScope): Rendered {
  try {
    // Counted although the templates are cached: what one process knows must change no decision.
    if (!scope.budget.spend(source.length / FLOW_SOURCE_CHARS_PER_UNIT)) throw new OverBudget();
    return { text: String(engine.renderSync([...parse(source)], contextOf(scope))) };
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

class OverBudget extends Error {
  constructor() {
    super('over budget');
  }
}

type Limits = Pick<MeteredContext, 'memoryLimit' | 'renderLimit'>;

/** Liquid's own limits, one of each for all templates of a step. */
const limitsOf = new WeakMap<Budget, Limits>();

/** Liquid counts what a rendering makes, and compares the time at each part: both spend units. */
function contextOf({ budget, ...variables }: TemplateScope): MeteredContext {
  const known = limitsOf.get(budget);
  const given = { liquid: engine, ...known };
  const context = new MeteredContext(variables, engine.options, { sync: true }, given);
  if (known) return context;
  const { memoryLimit, renderLimit } = context;
  memoryLimit.use = (made) => {
    if (made > 0 && !budget.spendChars(made)) throw new OverBudget();
  };
  const checkTime = renderLimit.check.bind(renderLimit);
  renderLimit.check = (now) => {
    if (!budget.spend(1)) throw new OverBudget();
    try {
      checkTime(now);
    } catch (cause) {
      budget.exhaust();
      throw cause;
    }
  };
  limitsOf.set(budget, { memoryLimit, renderLimit });
  return context;
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
    renderLimit: FLOW_STEP_RENDER_MS,
    locale: 'pt-BR',
    dateFormat: '%d/%m/%Y %H:%M',
    operators: meteredOperators(),
  });
  liquid.registerTag('case', MeteredCase);
  for (const name of FILE_TAGS) delete liquid.tags[name];
  for (const name of RANDOM_FILTERS) delete liquid.filters[name];
  for (const name of DATE_FILTERS) withoutClock(liquid, name);
  for (const name of Object.keys(liquid.filters)) withCost(liquid, name);
  const { renderer } = liquid;
  const render = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, context, emitter = new MeteredEmitter(context)) =>
    render(templates, context, emitter);
  return liquid;
}

/** The scope given to the rendering, unaffected by the template's assignments. */
function scopeOf(environments: object): Partial<Pick<TemplateScope, 'now' | 'org'>> {
  return environments;
}

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
