/** What a key may do, until when, and for whom, within the line that shows it. */
import type { KeyRow } from '../../../../shared/provisioning/commands.ts';
import { now } from '../clock.ts';
import { whenInSentence } from '../format.ts';
import { TEXT } from '../sentences.ts';

const { keys } = TEXT;

export type KeyTerms = Pick<KeyRow, 'access' | 'assistant' | 'expiresAt'>;

export function termsInSentence({ access, assistant, expiresAt }: KeyTerms): string {
  const ends = expiresAt === null ? [] : [endOf(expiresAt)];
  const who = assistant ? [keys.assistant] : [];
  return [keys.accesses[access], ...who, ...ends].join(' · ');
}

function endOf(expiresAt: string): string {
  const when = whenInSentence(expiresAt);
  return Date.parse(expiresAt) <= now() ? keys.expired(when) : keys.expiresAt(when);
}
