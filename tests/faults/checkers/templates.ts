/**
 * Templates and the 24 hours of a contact (D289, D290, D296).
 *
 * 1. A template goes only if it was approved, as it was recorded when it was decided to send it: at
 *    its call, or at the time of a scheduled message.
 * 2. What is not to go outside of the window does not, by the log before it.
 * 3. A message that the network refused for the window is replaced once, unless its contact has
 *    opted out meanwhile. No other message is replaced.
 */
import { windowOf } from '../../../actors/domain/conversation/window.ts';
import { WINDOW_CLOSED_CODE } from '../../../shared/message.ts';
import { type Checker, callsOf, fromStore, grouped, outOf, sendsOf } from './checker.ts';
import type { Call, History, Message, Store, Template } from './history.ts';

const APPROVED = 'APPROVED';
/** From the read of a template to the begin of the write, where no process stands still. */
const DECIDED_WITHIN_MS = 4_000;

interface Sent extends Message {
  readonly template: Template;
}

function handedOver(history: History): readonly Message[] {
  const given = new Set(history.transmissions.map(({ messageId }) => messageId));
  return outOf(history).filter(({ id }) => given.has(id));
}

function isTemplate(message: Message): message is Sent {
  return message.template !== undefined;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const onlyApprovedGo = fromStore((store, history) => {
  const { templates = [] } = store;
  const states = grouped(templates, ({ name }) => name);
  const calls = grouped(sendsOf(history), ({ text }) => text);
  return handedOver(history)
    .filter(isTemplate)
    .flatMap((message) => {
      const { id, text, template } = message;
      const span = spanOf(message, { store, call: calls.of(text ?? '')[0] });
      if (span === null) return [];
      const known = states.of(template.name);
      const first = known.filter(({ at }) => at <= span.from).at(-1);
      const later = known.filter(({ at }) => at > span.from && at <= span.to);
      const all = [...(first ? [first] : []), ...later].map(({ status }) => status);
      return all.includes(APPROVED)
        ? []
        : [`${text} (${id}) went as ${template.name}, which was ${all.join(', ') || 'unknown'}`];
    });
});

/** Of the decision about its template; null where it is not known. */
function spanOf(
  { settlements, decided, replaces }: Message,
  { store, call }: { readonly store: Store; readonly call: Call | undefined },
): Span | null {
  const settled = replaces === undefined ? settlements?.[0]?.decided : undefined;
  if (settled) return beforeWrite(settled.begunAt, store);
  if (!call || !decided) return null;
  // In place of a refused message goes what its call has named.
  return { from: call.startedAt, to: Math.min(decided.begunAt, call.endedAt) };
}

function beforeWrite(begunAt: number, { windows }: Store): Span {
  const usual = begunAt - DECIDED_WITHIN_MS;
  const standing = windows.disruptions.filter(({ from, to }) => to >= usual && from <= begunAt);
  const from = Math.min(usual, ...standing.map((each) => each.from - DECIDED_WITHIN_MS));
  return { from, to: begunAt };
}

const theWindowIsKept = fromStore((store, history) => {
  const entries = new Map(
    store.entries.map((entry) => [`${entry.conversationId} ${entry.seq}`, entry]),
  );
  const strict = sendsOf(history).filter(({ request }) => request.outsideWindow === 'refuse');
  const texts = new Set(strict.map(({ text }) => text));
  return handedOver(history).flatMap((message) => {
    const { id, text, conversationId, settlements, fallback } = message;
    const isStrict = fallback !== undefined || texts.has(text ?? '');
    if (isTemplate(message) || !isStrict) return [];
    const { place, decided } = settlements?.[0] ?? message;
    if (!decided) return [];
    const before = entries.get(`${conversationId} ${place - 1}`)?.window ?? {};
    return windowOf(before, decided.earliest) === 'closed'
      ? [`${text} (${id}) went although the window was closed`]
      : [];
  });
});

const replacedOnceIfRefused = fromStore((_, history) => {
  const instead = grouped(outOf(history), ({ replaces }) => replaces ?? '');
  return outOf(history).flatMap((message) => {
    const { id, text, status, error, fallback } = message;
    const times = instead.of(id).length;
    if (times > 1) return [`${text} (${id}) was replaced ${times} times`];
    const isDue = status === 'failed' && error === WINDOW_CLOSED_CODE && fallback !== undefined;
    if (!isDue) return times > 0 ? [`${text} (${id}) is ${status} and was replaced`] : [];
    return times === 1 || mayBeStopped(message, history)
      ? []
      : [`${text} (${id}) was refused for the window, and nothing went in its place`];
  });
});

function mayBeStopped(
  { phone, isAutomatic = false, dueAt, fallback }: Message,
  history: History,
): boolean {
  const isStoppedByOptOut = isAutomatic || dueAt !== undefined;
  const stops = [
    ...(isStoppedByOptOut || fallback?.isMarketing ? ['opt-out'] : []),
    ...(fallback?.isMarketing ? ['marketing-stop'] : []),
  ];
  return callsOf(history, ...stops).some(
    ({ request, outcome }) => request.phone === phone && outcome !== 'refused',
  );
}

export const templates: Checker = {
  rules: { onlyApprovedGo, theWindowIsKept, replacedOnceIfRefused },
};
