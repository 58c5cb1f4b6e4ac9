/** A sentence of the server's; one without a translation is marked as English. */
import type { Translate } from './translator.ts';

interface TranslatedProps {
  readonly text: string;
  readonly by: Translate;
}

export function Translated({ text, by }: TranslatedProps) {
  const own = by(text);
  return own === null ? <span lang="en">{text}</span> : <span>{own}</span>;
}
