/** Events as they happen: the list that a page holds, and what each one is about. Pure. */
import type { RecentEvent } from '../../../../shared/wire/recent-events.ts';

/** Held beyond those on the screen, so that a filter finds some. */
const HELD = 500;
const SHOWN = 100;

/** The fresh ones first, each event once. */
export function withFresh(
  known: readonly RecentEvent[],
  fresh: readonly RecentEvent[],
): readonly RecentEvent[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...fresh.filter(({ id }) => !ids.has(id)), ...known].slice(0, HELD);
}

/** The newest of one type; an empty type is any. */
export function shownOf(events: readonly RecentEvent[], type: string): readonly RecentEvent[] {
  return events.filter(({ event }) => type === '' || event === type).slice(0, SHOWN);
}

export interface Subject {
  /** As people call it. */
  readonly name: string;
  readonly phone: string;
  /** Its screen. */
  readonly to: string;
}

/** The entity of an event's payload. */
export function subjectOf({ data }: RecentEvent): Subject {
  const { contact, conversation, deal, task } = data;
  if (isObject(deal)) {
    const phone = textIn(Reflect.get(deal, 'contact'), 'phone');
    return { name: textIn(deal, 'title'), phone, to: '/negocios' };
  }
  if (isObject(task)) return { name: textIn(task, 'title'), phone: '', to: '/tarefas' };
  if (isObject(conversation)) {
    const of: unknown = Reflect.get(conversation, 'contact');
    const to = `/conversas/${textIn(conversation, 'id')}`;
    return { name: textIn(of, 'name'), phone: textIn(of, 'phone'), to };
  }
  if (isObject(contact)) {
    const to = `/contatos/${textIn(contact, 'id')}`;
    return { name: textIn(contact, 'name'), phone: textIn(contact, 'phone'), to };
  }
  const to = `/conversas/${textIn(data, 'conversationId')}`;
  return { name: textIn(data, 'text'), phone: textIn(data, 'phone'), to };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function textIn(value: unknown, name: string): string {
  const found: unknown = isObject(value) ? Reflect.get(value, name) : '';
  return typeof found === 'string' ? found : '';
}
