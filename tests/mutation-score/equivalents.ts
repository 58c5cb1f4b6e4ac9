/** Mutations that change nothing that anybody could notice, each by its mutated text. */
export interface Equivalent {
  readonly file: string;
  /** The lines that are mutated, as they are then, with single spaces. */
  readonly text: string;
  readonly why: string;
}

const named =
  (file: string) =>
  (why: string, ...texts: readonly string[]): readonly Equivalent[] =>
    texts.map((text) => ({ file, text, why }));

const calendar = named('shared/calendar.ts');
const localTime = named('shared/local-time.ts');
const phone = named('shared/phone.ts');
const page = named('actors/queries/page.ts');
const admission = named('actors/domain/admission.ts');
const pace = named('actors/domain/pace.ts');
const pipeline = named('actors/domain/pipeline.ts');
const context = named('actors/domain/organization-context.ts');
const decide = named('actors/domain/organization-decide.ts');
const orders = named('actors/domain/subscription-orders.ts');
const compile = named('actors/domain/flow/compile.ts');
const conditions = named('actors/domain/flow/conditions.ts');
const triggers = named('actors/domain/flow/triggers.ts');
const template = named('actors/domain/flow/template.ts');
const arrive = named('actors/domain/flow/arrive.ts');
const run = named('actors/domain/flow/run.ts');
const flow = named('actors/domain/flow/decide.ts');
const steps = named('actors/domain/flow/steps.ts');
const effects = named('actors/domain/flow/effects.ts');

export const EQUIVALENTS: readonly Equivalent[] = [
  ...calendar(
    'The pattern before has found all three numbers.',
    "const [year = 1, month = 0, day = 0] = text.split('-').map(Number);",
    "const [year = 0, month = 1, day = 0] = text.split('-').map(Number);",
    "const [year = 0, month = 0, day = 1] = text.split('-').map(Number);",
  ),
  ...calendar(
    '`compatible` is the default of Temporal.',
    'return local.toZonedDateTime(timeZone, {}).epochMilliseconds;',
  ),
  ...localTime(
    '`compatible` is the default of Temporal.',
    'const at = local.toZonedDateTime(timeZone, {}).epochMilliseconds;',
  ),
  ...localTime(
    'The time of the seventh day from now is always to come.',
    'const DAYS_LOOKED_AT = 9;',
    'for (let days = 0; days < DAYS_LOOKED_AT; days++) {',
  ),
  ...phone(
    'A canonical mobile is read as itself by the long way, too: this one is the short way.',
    'if (false) {',
    'if (BRAZILIAN_MOBILE.test(raw)) {}',
    'if (false) return raw;',
    "if (country === '') return raw;",
  ),
  ...page(
    'In the very middle both ways cost the same.',
    'const fromEnd = total !== null && skip >= total / 2;',
  ),
  ...admission(
    'A full window closes in a second at least: the other bound never counts.',
    'keyFull ? rates.key.resetSeconds : -1,',
    'orgFull ? rates.org.resetSeconds : -1,',
    'resetSeconds: Math.max(-1, resetSeconds),',
  ),
  ...admission(
    'A window that opens now opens now.',
    'return now <= window.openedAt ? { ...window, openedAt: now } : window;',
  ),
  ...pace(
    'What is there to the token is waited for 0 ms.',
    'return bucket.tokens > sends ? 0 : Math.ceil((sends - bucket.tokens) * rule.everyMs);',
  ),
  ...pipeline(
    'Ids of stages are unique, and one pipeline is the default.',
    'const pipeline = pipelines.findLast(({ stages }) => stages.some(({ id }) => id === stageId));',
    'const pipeline = pipelines.findLast(({ isDefault }) => isDefault);',
  ),
  ...context(
    'Refs are unique in their list.',
    'const channel = channels.findLast(({ ref, removed }) => ref === named.entry && removed !== true);',
  ),
  ...decide(
    'Refs and ids are unique in their list.',
    'const found = state.channels.findLast(',
    'const key = state.keys.findLast(({ id }) => id === keyId);',
  ),
  ...orders(
    'Ids are unique in their list.',
    'return state.subscriptions.findLast((entry) => entry.id === id && entry.removed !== true);',
  ),
  ...orders(
    'A rotation that is done has left the secret before it.',
    'const until = secrets[1]?.until ?? now - SECRET_ROTATION_MS;',
  ),
  ...compile(
    'Refs are unique in their list.',
    'const found = entries.findLast(({ ref }) => ref === name);',
  ),
  ...compile(
    'No entry has a ref that is no text.',
    "return typeof name !== 'string' && found ? { [property]: found.id } : {};",
  ),
  ...conditions(
    'The schema asks for an answer, and for both hours.',
    "return compare(condition, answerAt(condition.answer ?? 'mutated', run));",
    "const [from = 'mutated', until = ''] = hours.split('-');",
    "const [from = '', until = 'mutated'] = hours.split('-');",
  ),
  ...triggers(
    'What is kept saves reading the triggers again, no more.',
    'known.set(flow, triggers); => ;',
  ),
  ...template(
    'What is kept saves reading the template again, no more.',
    'const CACHED_MAX = 2001;',
    'if (true) parsed.clear();',
    'if (false) parsed.clear();',
    'if (parsed.size > CACHED_MAX) parsed.clear();',
    'if (parsed.size < CACHED_MAX) parsed.clear();',
    'parsed.set(source, templates); => ;',
  ),
  ...arrive(
    'The schema asks for one of both, and for a duration that can be read.',
    "const { until: time = '', weekdays } = step;",
    'return parseDuration(duration) ?? 1;',
  ),
  ...run(
    'Every moment is later than both.',
    'return at === null ? null : Math.max(at, state.automationPausedUntil ?? 1);',
  ),
  ...flow(
    'A text within the limit is cut to itself.',
    'if (false) return text;',
    'if (text.length < FLOW_ANSWER_MAX_CHARS) return text;',
  ),
  ...steps(
    'The schema asks for a text or a file; every moment is later than both.',
    "const rendered = renderTemplate(step.text ?? 'mutated', scopeOf(state, run, context));",
    'automationPausedUntil: Math.max(state.automationPausedUntil ?? 1, now + pauseMs),',
  ),
  ...effects(
    'The schema asks for the title of a deal that is made.',
    "const title = renderUpTo(TITLE_MAX_CHARS.deal, step.title ?? 'mutated', scope);",
  ),
];
