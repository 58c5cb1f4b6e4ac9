/** The text that a person reads of content other than text and files, in either direction. */
import type { ContactCard, Interactive, Location } from '../message-content.ts';

/** `Name, address (latitude, longitude)`, with the parts that are there. */
export function locationText({ name, address, latitude, longitude }: Location): string {
  const point = `${latitude}, ${longitude}`;
  const place = [name, address].filter((part) => part !== undefined);
  return place.length === 0 ? point : `${place.join(', ')} (${point})`;
}

/** `Name phone …`, a line for each card. */
export function contactCardsText(cards: readonly ContactCard[]): string {
  return cards.map(({ name, phones }) => [name, ...phones].join(' ')).join('\n');
}

/** Header, text and footer, a blank line between them. */
export function interactiveText({ header, text, footer }: Interactive): string {
  return [header, text, footer].filter((part) => part !== undefined).join('\n\n');
}
