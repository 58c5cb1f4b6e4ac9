/** The text that a person reads of content other than text and files, in either direction. */
import type { ContactCard, Interactive, Location } from '../message-content.ts';

export function locationText({ name, address, latitude, longitude }: Location): string {
  return placeText([name, address], `${latitude}, ${longitude}`);
}

/** `Name, address (point)`, with the parts that are there; empty where there is none. */
export function placeText(parts: readonly (string | undefined)[], point: string): string {
  const place = parts.filter(Boolean).join(', ');
  return place && point ? `${place} (${point})` : place || point;
}

/** `Name phone …`, a line for each card that has one of them. */
export function contactCardsText(cards: readonly ContactCard[]): string {
  const lines = cards.map(({ name, phones }) => [name, ...phones].filter(Boolean).join(' '));
  return lines.filter(Boolean).join('\n');
}

/** Header, text and footer, a blank line between them. */
export function interactiveText({ header, text, footer }: Interactive): string {
  return [header, text, footer].filter((part) => part !== undefined).join('\n\n');
}
