/** Lines of an event stream (WHATWG HTML, 9.2). */
import type { StreamedDelivery } from '../../shared/wire/stream-commands.ts';

/** First of all: a client connects again after a second. */
export const RETRY = Buffer.from('retry: 1000\n\n');
/** Keeps the connection alive; clients ignore it. */
export const COMMENT = Buffer.from(':\n\n');
/** The last event of a connection that a newer one has replaced: it comes back late. */
export const REPLACED = Buffer.from('event: replaced\nretry: 60000\ndata: {}\n\n');

/** A page of deliveries; before them the number of those that were dropped, where it is news. */
export function pageBytes(deliveries: readonly StreamedDelivery[], dropped: number): Uint8Array {
  const overflow = dropped > 0 ? `event: overflow\ndata: {"dropped":${dropped}}\n\n` : '';
  return Buffer.from(overflow + deliveries.map(eventText).join(''));
}

/** The position in the id makes an acknowledgement a comparison of numbers. */
function eventText({ id, position, event, body }: StreamedDelivery): string {
  return `id: ${position}.${id}\nevent: ${event}\n${dataLines(body)}\n`;
}

const LINE_END = /\r\n|\r|\n/;

/** Serialized JSON is one line; a line end in any other text would end the event. */
function dataLines(body: string): string {
  if (!LINE_END.test(body)) return `data: ${body}\n`;
  return body
    .split(LINE_END)
    .map((line) => `data: ${line}\n`)
    .join('');
}
