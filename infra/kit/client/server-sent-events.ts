/** Server-Sent Events (WHATWG HTML, 9.2), read piece by piece. */
export interface ServerSentEvent {
  readonly event: string;
  /** Empty where the event has none of its own. */
  readonly id: string;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r/g;

export class EventParser {
  /** Milliseconds before the next connection, as the server wants it; null: it has not told. */
  retryMs: number | null = null;
  #rest = '';
  #event = '';
  #id = '';
  #data: string[] = [];

  /** The events that this piece of the body completes. */
  read(piece: string): readonly ServerSentEvent[] {
    const text = this.#rest + piece;
    const events: ServerSentEvent[] = [];
    let from = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      // The line feed of a carriage return may come with the next piece.
      if (end === '\r' && index === text.length - 1) break;
      const event = this.#line(text.slice(from, index));
      if (event) events.push(event);
      from = index + end.length;
    }
    this.#rest = text.slice(from);
    return events;
  }

  #line(line: string): ServerSentEvent | null {
    if (line === '') return this.#complete();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id') this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  #complete(): ServerSentEvent | null {
    const event = { event: this.#event, id: this.#id, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#id = '';
    this.#data = [];
    return isEmpty ? null : event;
  }
}
