/** Contact cards as a person reads them. */
import type { ContactCard } from '../../../shared/message-content.ts';

/** A line for each card: its name and its phones. */
export function cardsText(cards: readonly ContactCard[]): string | null {
  const lines = cards.map(({ name, phones }) => [name, ...phones].filter(Boolean).join(' '));
  const told = lines.filter((line) => line !== '');
  return told.length === 0 ? null : told.join('\n');
}
