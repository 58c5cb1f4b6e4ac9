/** Equivalent mutations of messages, contacts, deliveries, deals and templates. */
import { type Equivalent, named } from './equivalent.ts';

const rateLimits = named('actors/domain/rate-limits.ts');
const breaker = named('actors/domain/breaker.ts');
const networkMessage = named('actors/domain/conversation/network-message.ts');
const conversation = named('actors/domain/conversation/conversation.ts');
const delivery = named('actors/domain/delivery.ts');
const account = named('actors/domain/template/account.ts');
const freely = named('actors/domain/conversation/window.ts');
const completed = named('actors/domain/completed-commands.ts');
const buttons = named('actors/domain/template/buttons.ts');
const body = named('actors/domain/template/body.ts');
const header = named('actors/domain/template/header.ts');
const checked = named('actors/domain/template.ts');
const due = named('actors/domain/conversation/schedule.ts');
const join = named('actors/domain/conversation/join.ts');
const identity = named('actors/domain/identity.ts');
const person = named('actors/domain/person.ts');
const change = named('actors/domain/conversation/message-change.ts');

export const OF_MESSAGES: readonly Equivalent[] = [
  ...rateLimits(
    'A full window closes in a second at least: the other bound never counts.',
    'keyFull ? rates.key.resetSeconds : -1,',
    'orgFull ? rates.org.resetSeconds : -1,',
    'resetSeconds: Math.max(-1, resetSeconds),',
  ),
  ...rateLimits(
    'A window that opens now opens now.',
    'return now <= window.openedAt ? { ...window, openedAt: now } : window;',
  ),
  ...rateLimits(
    'What is there to the token is waited for 0 ms.',
    'return bucket.tokens > sends ? 0 : Math.ceil((sends - bucket.tokens) * rule.everyMs);',
  ),
  ...breaker(
    'Of a success neither its delivery nor whether it was a probe is looked at.',
    "const result = { deliveryId: 'mutated', result: 'succeeded', probe: false, now } as const;",
    "const result = { deliveryId: '', result: 'succeeded', probe: true, now } as const;",
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
  ...account(
    'An account that was never listed is due before these count.',
    'const from = (state.endedAt ?? 1) + REQUEST_INTERVAL_MS;',
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
    "const hasLeft = !isSameNumber(other.phone, phone) && other.phone !== 'mutated' && !isBack;",
  ),
  ...identity(
    'A contact’s own number is none of its released ones.',
    'current: true ? other.phone : phone,',
  ),
  ...person('No peer has either name.', "const OTHERS = 'mutated';"),
  ...conversation('Every moment is later than both.', '{ lastInboundAt = 1 }: ConversationState,'),
  ...change(
    'The condition before has told equal times apart.',
    'if (one.at !== other.at) return one.at >= other.at;',
  ),
];
