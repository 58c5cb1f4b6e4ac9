/** Text of an event stream (WHATWG HTML, 9.2), as far as this service writes it. */

export interface StreamedEvent {
  /** Of the delivery; null where the event has no id: it is none of a delivery. */
  readonly id: string | null;
  /** As sent: it acknowledges what came up to it. */
  readonly place: string | null;
  readonly event: string;
  /** As sent. */
  readonly data: string;
}

/** Whole events; the text behind the last one is left out. */
export function eventsIn(text: string): readonly StreamedEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const fieldOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const event = fieldOf('event');
    const place = fieldOf('id') ?? null;
    const id = place === null ? null : place.slice(place.indexOf('.') + 1);
    return event === undefined ? [] : [{ id, place, event, data: fieldOf('data') ?? '' }];
  });
}
