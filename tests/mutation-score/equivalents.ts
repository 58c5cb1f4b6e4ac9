/** Equivalent mutations, which change no observable behaviour, each by its mutated text. */
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

const breaker = named('actors/domain/breaker.ts');
const conversation = named('actors/domain/conversation.ts');
const networkMessage = named('actors/domain/network-message.ts');
const people = named('actors/domain/member-actions.ts');
const delivery = named('actors/domain/delivery.ts');
const check = named('actors/domain/flow/check.ts');
const apply = named('actors/domain/organization/apply.ts');
const keys = named('actors/domain/organization/keys.ts');
const calendar = named('shared/time/calendar.ts');
const localTime = named('shared/time/local-time.ts');
const phone = named('shared/text/phone.ts');
const page = named('actors/queries/page.ts');
const admission = named('actors/domain/admission.ts');
const pace = named('actors/domain/token-bucket.ts');
const pipeline = named('actors/domain/organization/state.ts');
const context = named('actors/domain/organization/context.ts');
const decide = named('actors/domain/organization/decide.ts');
const orders = named('actors/domain/organization/subscriptions.ts');
const compile = named('actors/domain/flow/references.ts');
const conditions = named('actors/domain/flow/conditions.ts');
const triggers = named('actors/domain/flow/conditions.ts');
const template = named('actors/domain/flow/template.ts');
const run = named('actors/domain/flow/run.ts');
const flow = named('actors/domain/flow/decide.ts');
const steps = named('actors/domain/flow/steps.ts');
const effects = named('actors/domain/flow/effects.ts');
const content = named('actors/domain/flow/content.ts');
const carried = named('actors/domain/flow/carried.ts');
const variables = named('actors/domain/flow/variables.ts');
const send = named('actors/domain/flow/send.ts');
const arrival = named('actors/domain/flow/arrival.ts');
const written = named('actors/domain/organization/written.ts');
const saving = named('actors/domain/organization/subscription-file.ts');
const streams = named('actors/domain/organization/streams.ts');
const references = named('actors/domain/organization/references.ts');
const sessions = named('actors/domain/session.ts');
const applyAudit = named('actors/domain/organization/applied-by.ts');
const members = named('actors/domain/organization/members.ts');
const orderAudit = named('actors/domain/organization/audited.ts');
const output = named('actors/domain/organization/output.ts');
const account = named('actors/domain/template/account.ts');
const freely = named('actors/domain/window.ts');
const buttons = named('actors/domain/template/buttons.ts');
const body = named('actors/domain/template/body.ts');
const header = named('actors/domain/template/header.ts');
const checked = named('actors/domain/template.ts');
const due = named('actors/domain/schedule.ts');
const completed = named('actors/domain/completed-commands.ts');
const identity = named('actors/domain/identity.ts');
const person = named('actors/domain/person.ts');
const change = named('actors/domain/message-change.ts');
const join = named('actors/domain/conversation-join.ts');

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
    'const DAYS_SEARCHED = 9;',
    'for (let days = 0; days < DAYS_SEARCHED; days++) {',
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
    'const pipeline = pipelines.findLast(({ stages }) => stages.some((stage) => stage.id === id));',
    'const pipeline = pipelines.findLast(({ isDefault }) => isDefault);',
  ),
  ...context(
    'Refs are unique in their list.',
    'const channel = known.findLast(({ ref }) => ref === name);',
  ),
  ...decide(
    'Refs and ids are unique in their list.',
    'const found = present(state.channels).findLast(',
    'const key = state.keys.findLast(({ id }) => id === keyId);',
  ),
  ...orders(
    'Ids are unique in their list.',
    'return present(state.subscriptions).findLast(({ id }) => id === subscriptionId);',
  ),
  ...orders(
    'A rotation that is done has left the secret before it.',
    'const until = secrets[1]?.until ?? now - SECRET_ROTATION_MS;',
  ),
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
  ...breaker(
    'Of a success neither its delivery nor whether it was a probe is looked at.',
    "const result = { deliveryId: 'mutated', result: 'succeeded', probe: false, now } as const;",
    "const result = { deliveryId: '', result: 'succeeded', probe: true, now } as const;",
  ),
  ...people(
    'Every moment is later than both.',
    'const paused = Math.max(state.automationPausedUntil ?? 1, now + pauseMs);',
  ),
  ...networkMessage(
    'Every moment is later than both.',
    'const automationPausedUntil = Math.max(state.automationPausedUntil ?? 1, now + facts.pauseMs);',
  ),
  ...conversation(
    'A text within the limit is cut to itself; how much of a longer one is read is a matter of cost.',
    'if (false) return text;',
    'if (text.length < PREVIEW_CHARS) return text;',
    "return [...text].slice(0, PREVIEW_CHARS).join('');",
    "return [...text.slice(0, 3 * PREVIEW_CHARS)].slice(0, PREVIEW_CHARS).join('');",
  ),
  ...delivery(
    'A millisecond is less than any wait, and never more than twice the schedule’s.',
    '{ previousWaitMs, unit, retryAfterMs = 1 }: WaitInput,',
    'const askedMs = Math.min(retryAfterMs, 2 * baseMs, schedule[attempt] ?? 3 * baseMs);',
  ),
  ...check(
    'No two flows have one ref; no flow carries anything under another id, or has another channel.',
    'const flow = nameable.flows.findLast(({ ref }) => ref === entry.ref);',
    "const held = carried.get(flow?.id ?? 'mutated') ?? carriesNothing();",
    "...(nameable.webChannels.has(flow?.channel ?? 'mutated') ? notOnWeb(steps) : []),",
  ),
  ...template(
    'The messages of the library have one line.',
    "return error.message.split('\\n')[1] ?? error.message;",
  ),
  ...apply(
    'A new organization without a name is refused.',
    "name: head.name ?? state?.name ?? 'mutated',",
  ),
  ...decide(
    'An entry with a problem is none.',
    'if (entry === null || issues.length > 1) return refusal(issues);',
  ),
  ...keys(
    'An id has one `_`, and something behind it.',
    "const part = orgId.split('_').at(1)?.slice(0, ORGANIZATION_PART_CHARS) ?? '';",
    "const part = orgId.split('_').at(-1)?.slice(0, ORGANIZATION_PART_CHARS) ?? 'mutated';",
  ),
  ...keys(
    'Two keys share a token only where the file names one of them.',
    "const path = places.get(key.ref) ?? places.get(first) ?? '';",
  ),
  ...page(
    'Both ways give the same page: the bound is where waiting for the total pays.',
    'const DEEP = 1001;',
    'const known = skipOf(request) <= DEEP ? null : await reading;',
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
  ...carried(
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
  ...written(
    'A sealed secret is neither of these texts.',
    "return { url, events, secret: new RedactedSecret(secrets[0]?.sealed ?? 'mutated'), enabled };",
  ),
  ...written(
    'A secret is compared with a secret, a text or nothing, never with an object.',
    'if (!areObjects || before instanceof RedactedSecret && after instanceof RedactedSecret) {',
  ),
  ...saving(
    'A path of a problem has this at its beginning or nowhere.',
    'const ENTRY = /subscriptions\\.0\\.?/;',
  ),
  ...saving(
    'No two subscriptions have one id, or one ref.',
    'const known = present(state.subscriptions).findLast(({ id }) => id === subscriptionId);',
    'const shown = accepted && listSubscriptions(accepted).findLast((each) => each.ref === ref);',
  ),
  ...saving(
    'A saved subscription is in the list, with its id.',
    "const { id = 'mutated', secret } = output.subscriptions[ref] ?? {};",
  ),
  ...streams(
    'No two keys, streams or remembered commands have one id.',
    'const key = keys.findLast(({ id }) => id === keyId);',
    'const known = live.findLast(({ id }) => id === streamId);',
    'const repeated = known?.opened.findLast(({ id }) => id === commandId);',
  ),
  ...streams(
    'A key of the scope account has no channel.',
    'return key ? [{ ...stream, channelId: true ? key.channelId : null }] : [];',
  ),
  ...references(
    'No two entries of a list have one ref.',
    'const known = before?.[list].findLast(({ ref }) => ref === entry.ref);',
  ),
  ...sessions(
    'No two members have one id.',
    'const member = members.findLast(({ id }) => id === session.memberId);',
  ),
  ...applyAudit(
    'Refs are unique in their list.',
    `const flow = after.flows.findLast((each) => \`flows.\${each.ref}\` === name);`,
  ),
  ...members(
    'Refs and ids are unique in their list.',
    'const member = known.findLast(({ ref }) => ref === name) ?? known.find(({ id }) => id === name);',
    'const member = known.find(({ ref }) => ref === name) ?? known.findLast(({ id }) => id === name);',
    'const before = state.members.findLast((each) => each.ref === ref);',
  ),
  ...orderAudit(
    'Refs and ids are unique in their list.',
    'return ofSubscription(subscriptions.findLast(({ ref }) => ref === command.id));',
    'return ofSubscription(subscriptions.findLast(({ id }) => id === command.subscriptionId));',
  ),
  ...output(
    'Ids are unique in their list, and a stream that is live has its key.',
    "...{ id, name, keyId, keyName: state.keys.findLast((key) => key.id === keyId)?.name ?? '' },",
    "...{ id, name, keyId, keyName: state.keys.find((key) => key.id === keyId)?.name ?? 'mutated' },",
  ),
  ...output(
    'An address with a user has an `@`; the look for it is the short way.',
    "if (!value.includes('') || !URL.canParse(value)) return false;",
  ),
  ...decide(
    'A refusal has all of it by itself.',
    "if ('refused' in decision) return { ...({}), ...refusal(issuesOfEntry(decision.refused)) };",
  ),
  ...account(
    'An account that was never listed is due before these count.',
    'const from = (state.endedAt ?? 1) + REQUESTED_APART_MS;',
    'const isFresh = state.reason === null && now - (state.listedAt ?? 1) < FRESH_MS;',
  ),
  ...account(
    'Six failures wait as long as any wait lasts.',
    'const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 11), LISTED_EVERY_MS);',
  ),
  ...freely(
    'Times are whole seconds of this century, or 0: one of 1970 is as none.',
    "return now < (facts.undecidedFrom ?? 1) + WINDOW_MS ? 'undecided' : 'closed';",
    'const undecidedFrom = Math.max(facts.undecidedFrom ?? 1, wholeSecond(at));',
    'const isKnown = (one.windowFrom ?? other.windowFrom) !== undefined || windowFrom > 1;',
    '...(undecidedFrom > 1 ? { undecidedFrom } : {}),',
    'function openedAt({ windowFrom, lastInboundAt = 1 }: WindowFacts): number {',
  ),
  ...completed(
    'A command that is found is not decided anew: no id is there twice.',
    'return recent.findLast((each) => each.id === id) ?? null;',
  ),
  ...buttons(
    'A valid message has one value for each button.',
    'const own = filled.given.findLast((each) => each.index === index)?.value;',
  ),
  ...body(
    'The variables of a text have each name once.',
    'return { key, variable: form.variables.findLast(({ name }) => name === key)?.name, value };',
  ),
  ...header(
    'A header of the format `text` has a text.',
    "const chars = charsOf(headerText(form, text) ?? 'mutated');",
  ),
  ...checked(
    'A body without issues has a value for each variable.',
    "const value = body.get(name) ?? 'mutated';",
  ),
  ...due(
    'An absent setting and an undefined one are the same.',
    'return judgeWindow(window, { hasFallback, ...(true ? { outsideWindow } : {}) }, now);',
  ),
  ...join('Every moment is later than both.', '...(lastInboundAt > 1 ? { lastInboundAt } : {}),'),
  ...identity('Two of one moment are told apart before.', 'return a.createdAt <= b.createdAt;'),
  ...identity(
    'An empty number is released nowhere.',
    "const left = other.phone !== phone && other.phone !== 'mutated' && !isBack;",
  ),
  ...identity(
    'A contact’s own number is none of its released ones.',
    "...releasedBy(state, { left: left ? other.phone : '', kept: true ? other.phone : phone }),",
  ),
  ...person('No peer has either name.', "const OTHERS = 'mutated';"),
  ...conversation('Every moment is later than both.', '{ lastInboundAt = 1 }: ConversationState,'),
  ...change(
    'The condition before has told equal times apart.',
    'if (one.at !== other.at) return one.at >= other.at;',
  ),
];
