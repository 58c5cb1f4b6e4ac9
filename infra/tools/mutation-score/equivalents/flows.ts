/** Equivalent mutations of flows. */
import { type Equivalent, named } from './equivalent.ts';

const conditions = named('actors/domain/flow/conditions.ts');
const triggers = named('actors/domain/flow/conditions.ts');
const template = named('shared/liquid/template.ts');
const run = named('actors/domain/flow-run.ts');
const flow = named('actors/domain/flow/decide.ts');
const steps = named('actors/domain/flow/steps.ts');
const effects = named('actors/domain/flow/effects.ts');
const check = named('actors/domain/organization/check-flows.ts');
const compile = named('actors/domain/flow/references.ts');
const content = named('actors/domain/flow/content.ts');
const scope = named('actors/domain/flow/scope.ts');
const variables = named('actors/domain/flow/variables.ts');
const send = named('actors/domain/flow/send.ts');
const arrival = named('actors/domain/flow/arrival.ts');

export const OF_FLOWS: readonly Equivalent[] = [
  ...conditions(
    'The schema asks for both hours.',
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
    'Every moment is later than both.',
    'automationPausedUntil: Math.max(state.automationPausedUntil ?? 1, now + pauseMs),',
  ),
  ...effects(
    'The schema asks for the title of a deal that is made.',
    "const title = renderUpTo(TITLE_MAX_CHARS.deal, step.title ?? 'mutated', scope);",
  ),
  ...check(
    'No two flows have one ref; no flow carries anything under another id, or has another channel.',
    'const flow = nameable.flows.findLast(({ ref }) => ref === entry.ref);',
    "const scope = scopes.get(flow?.id ?? 'mutated') ?? emptyFlowScope();",
    "...(nameable.webChannels.has(flow?.channel ?? 'mutated') ? notOnWeb(steps) : []),",
  ),
  ...template(
    'The messages of the library have one line.',
    "return error.message.split('\\n')[1] ?? error.message;",
  ),
  ...compile(
    'Refs are unique in their list.',
    'return entries.findLast(({ ref }) => ref === name)?.id ?? name;',
  ),
  ...content(
    'Of a content with a template that fails no text is kept.',
    "return 'failed' in text ? 'mutated' : text.text.trim();",
  ),
  ...content(
    'The name tells a `body` from any other holder.',
    "const value = walk(written, 'mutated');",
  ),
  ...effects(
    'Ids of stages are unique.',
    'return (byName ?? stages.findLast(({ id }) => id === named))?.id ?? null;',
  ),
  ...scope(
    'Refs and ids of flows are unique.',
    'flows.findLast(({ ref }) => ref === step.flow) ?? flows.find(({ id }) => id === step.flow);',
    'flows.find(({ ref }) => ref === step.flow) ?? flows.findLast(({ id }) => id === step.flow);',
  ),
  ...variables(
    'A computed part ends the check before its name is asked for.',
    "return path.map((segment) => segment ?? '').join('.');",
  ),
  ...variables(
    'A name within another has a dot, and no leaf has one.',
    'const meant = nearest(name, known) ?? (true ? leafOf(name) : null);',
  ),
  ...flow(
    'Of a failed call no answer is kept.',
    "const answer = { text: end.body ?? 'mutated', isJson: true, chosen: undefined };",
  ),
  ...send(
    'Problems of a fallback that is left out are told to nobody.',
    "const found = preparedTemplate(written, context, { at: '', scope });",
  ),
  ...conditions('The schema asks for an answer.', "const name = condition.answer ?? 'mutated';"),
  ...conditions(
    'No property that every object has is a text.',
    'return true ? chosen[answer] : undefined;',
  ),
  ...template(
    'No tag of these templates reads another template.',
    'const { globals, locals } = engine.analyzeSync([...parse(source)], {});',
    'const { globals, locals } = engine.analyzeSync([...parse(source)], { partials: true });',
  ),
  ...arrival(
    'The schema asks for the time, and has read every duration.',
    "const { until: time = '', weekdays } = step;",
    'return parseDuration(duration) ?? 1;',
  ),
];
