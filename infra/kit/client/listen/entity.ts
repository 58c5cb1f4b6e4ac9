/** The record whose events have an order among them. */
import { jsonOf } from '../transport.ts';

/** Of the event's body; null where it names none. */
export function entityOf(body: string): string | null {
  const data = member(jsonOf(body), 'data');
  const found = [
    member(data, 'conversationId'),
    ...['conversation', 'deal', 'task', 'contact'].map((name) => member(member(data, name), 'id')),
  ];
  const id = found.find((each) => typeof each === 'string');
  return typeof id === 'string' ? id : null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object(value)[name] : undefined;
}
