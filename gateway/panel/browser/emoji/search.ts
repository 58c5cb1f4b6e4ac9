/** Emoji by group and by what people call them. */
import { foldText } from '../../../../shared/text/fold.ts';

export interface Emoji {
  readonly unicode: string;
  /** In Portuguese. */
  readonly label: string;
  readonly tags?: readonly string[];
  /** Number of a group of the Unicode standard; parts of others, as skin tones, have none. */
  readonly group?: number;
}

/** Whose label or search words have a word that begins with each written one; else the emoji itself. */
export function foundEmoji(all: readonly Emoji[], written: string): readonly Emoji[] {
  const words = foldText(written).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const hit = (text: string) => words.every((word) => text.includes(` ${word}`));
  const [named, tagged]: [Emoji[], Emoji[]] = [[], []];
  for (const each of all) {
    const label = ` ${foldText(each.label)}`;
    if (hit(label) || each.unicode === written.trim()) named.push(each);
    else if (hit(`${label} ${foldText((each.tags ?? []).join(' '))}`)) tagged.push(each);
  }
  return [...named, ...tagged];
}

/** The cell that a key leads to; null where it leads out of the grid, or nowhere. */
export function cellAt(
  key: string,
  { from, columns, count }: { from: number; columns: number; count: number },
): number | null {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
  const to = { Home: 0, End: count - 1 }[key] ?? (by === undefined ? -1 : from + by);
  return to >= 0 && to < count ? to : null;
}
