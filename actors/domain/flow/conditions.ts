/**
 * Conditions of `choose` steps, and triggers: which flow a message or a tag starts (docs/flows.md).
 * People type: texts are compared without case, accents and the spaces around them.
 */
import type { Condition } from '../../../shared/provisioning/flow-conditions.ts';
import { type FlowTrigger, readTriggers } from '../../../shared/provisioning/flow-triggers.ts';
import { localMoment } from '../../../shared/time/local-time.ts';
import type { Run } from '../flow-run.ts';
import type { FlowEntry } from '../organization.ts';
import { answersOf, type FlowContext } from './context.ts';

/** Spends of the step's budget; false beyond it. */
export function holds(condition: Condition, run: Run, context: FlowContext): boolean {
  const { all, any, not, tag, optIn, hours, weekday, window, chosen } = condition;
  if (!context.budget.spend(1 + (condition.in?.length ?? 0))) return false;
  if (all) return all.every((each) => holds(each, run, context));
  if (any) return any.some((each) => holds(each, run, context));
  if (not) return !holds(not, run, context);
  if (tag !== undefined) return foldedTags(context).has(fold(tag));
  if (optIn !== undefined) return context.contact.optIn === optIn;
  if (hours !== undefined) return isWithin(hours, context);
  if (window !== undefined) return (context.window === 'closed') === (window === 'closed');
  if (weekday) return weekday.includes(localMoment(context.now, context.org.timeZone).weekday);
  if (condition.field !== undefined) {
    const { fields } = context.contact;
    const known = Object.hasOwn(fields, condition.field);
    return compare(condition, known ? fields[condition.field] : undefined, context);
  }
  const name = condition.answer ?? '';
  if (chosen !== undefined) return chosenFor(name, run) === chosen;
  return compare(condition, answerAt(name, run), context);
}

/** By the list, which is immutable: a contact has thousands of tags, a step thousands of conditions. */
const knownTags = new WeakMap<readonly string[], ReadonlySet<string>>();

function foldedTags({ contact: { tags } }: FlowContext): ReadonlySet<string> {
  const folded = knownTags.get(tags) ?? new Set(tags.map(fold));
  knownTags.set(tags, folded);
  return folded;
}

function chosenFor(answer: string, { chosen = {} }: Run): string | undefined {
  return Object.hasOwn(chosen, answer) ? chosen[answer] : undefined;
}

/** `22:00-06:00` passes midnight; the end is excluded. */
function isWithin(hours: string, { now, org }: FlowContext): boolean {
  const [from = '', until = ''] = hours.split('-');
  const { time } = localMoment(now, org.timeZone);
  return from <= until ? time >= from && time < until : time >= from || time < until;
}

function answerAt(path: string, run: Run): string | undefined {
  let value: unknown = answersOf(run);
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = Reflect.get(value, name);
  }
  if (value === null || value === undefined) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function compare(
  condition: Condition,
  value: string | undefined,
  { budget }: Pick<FlowContext, 'budget'>,
): boolean {
  const { equals, contains, starts, exists, above, below } = condition;
  const texts = [value, equals, contains, starts, ...(condition.in ?? [])];
  const chars = texts.reduce((sum, each = '') => sum + each.length, 0);
  if (!budget.spendChars(chars)) return false;
  if (exists !== undefined) return exists === (value !== undefined && value.trim() !== '');
  if (value === undefined) return false;
  const text = fold(value);
  if (equals !== undefined) return text === fold(equals);
  if (contains !== undefined) return text.includes(fold(contains));
  if (starts !== undefined) return text.startsWith(fold(starts));
  if (condition.in) return condition.in.some((each) => fold(each) === text);
  const number = numberOf(value);
  if (above !== undefined) return number !== null && number > above;
  return below !== undefined && number !== null && number < below;
}

/** `1.234,56` and `1234.56` are the same number. */
function numberOf(text: string): number | null {
  const plain = text.trim();
  const normal = plain.includes(',') ? plain.replaceAll('.', '').replace(',', '.') : plain;
  return /^[+-]?\d+(\.\d+)?$/.test(normal) ? Number(normal) : null;
}

/** Without case, accents and the spaces around the text. */
export function fold(text: string): string {
  return text
    .trim()
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
}

export interface TriggeringMessage {
  readonly channelId: string;
  readonly text: string | null;
  /** The contact's first message in this conversation. */
  readonly first: boolean;
  /** Id of the button or row that was pressed. */
  readonly chosen?: string;
  readonly isLocation?: boolean;
  /** The emoji, where the contact reacted to a message; no other trigger is for it. */
  readonly reaction?: string;
  /** The contact opened the chat, and wrote nothing: no trigger is for it. */
  readonly onlyMain?: true;
}

/**
 * Precedence: a pressed button, a keyword, a place, a first message, then the main flow. A reaction
 * starts only the flows that wait for one. An opened chat starts the main flow, where a message would
 * start no other: a flow of first messages waits for the first one.
 */
export function flowForMessage(
  flows: readonly FlowEntry[],
  message: TriggeringMessage,
): FlowEntry | null {
  const { channelId, first } = message;
  const serving = flows
    .filter((flow) => isEnabled(flow) && (flow.channelId ?? channelId) === channelId)
    .toSorted((a, b) => Number(a.channelId === null) - Number(b.channelId === null));
  const { reaction, chosen, isLocation } = message;
  const startedBy = (isHit: (trigger: FlowTrigger) => boolean) =>
    serving.find((flow) => triggersOf(flow).some(isHit));
  if (reaction !== undefined) return startedBy((each) => isReaction(each, reaction)) ?? null;
  const found =
    (chosen && startedBy((each) => each.on === 'button' && each.id === chosen)) ||
    flowForText(fold(message.text ?? ''), startedBy) ||
    (isLocation && startedBy(({ on }) => on === 'location')) ||
    (first && startedBy(({ on }) => on === 'first-message')) ||
    serving.find(({ isMain }) => isMain);
  if (!found || (message.onlyMain && !found.isMain)) return null;
  return found;
}

type FindFlow = (isHit: (trigger: FlowTrigger) => boolean) => FlowEntry | undefined;

function flowForText(text: string, startedBy: FindFlow): FlowEntry | undefined {
  for (const match of ['exact', 'starts', 'contains'] as const) {
    const found = startedBy(
      (trigger) =>
        trigger.on === 'keyword' &&
        (trigger.match ?? 'exact') === match &&
        matches(text, fold(trigger.keyword), match),
    );
    if (found) return found;
  }
  return undefined;
}

/** One that is taken back has no emoji. */
function isReaction(trigger: FlowTrigger, emoji: string): boolean {
  if (trigger.on !== 'reaction' || emoji === '') return false;
  return trigger.emoji === undefined || plainEmoji(trigger.emoji) === plainEmoji(emoji);
}

/** Without skin tone and without the variation selector, which keyboards add as they like. */
function plainEmoji(emoji: string): string {
  return emoji.trim().replace(/\p{Emoji_Modifier}|\uFE0F/gu, '');
}

function matches(text: string, keyword: string, match: 'exact' | 'starts' | 'contains'): boolean {
  if (text === '') return false;
  if (match === 'exact') return text === keyword;
  return match === 'starts' ? text.startsWith(keyword) : text.includes(keyword);
}

/** Every flow that one of the tags starts, in the file's order. */
export function flowsForTags(flows: readonly FlowEntry[], tags: readonly string[]): FlowEntry[] {
  const applied = new Set(tags.map(fold));
  const isHit = (trigger: FlowTrigger) => trigger.on === 'tag' && applied.has(fold(trigger.tag));
  return flows.filter((flow) => isEnabled(flow) && triggersOf(flow).some(isHit));
}

function isEnabled(flow: FlowEntry): boolean {
  return flow.enabled && flow.removed !== true;
}

/** By the entry, which is immutable. */
const known = new WeakMap<FlowEntry, readonly FlowTrigger[]>();

function triggersOf(flow: FlowEntry): readonly FlowTrigger[] {
  const triggers = known.get(flow) ?? readTriggers(flow.triggers);
  known.set(flow, triggers);
  return triggers;
}
