/** Equivalent mutations, which change no observable behaviour, each by its mutated text. */
import type { Equivalent } from './equivalents/equivalent.ts';
import { OF_FLOWS } from './equivalents/flows.ts';
import { OF_LISTS_AND_TIMES } from './equivalents/lists-and-times.ts';
import { OF_MESSAGES } from './equivalents/messages.ts';
import { OF_ORGANIZATIONS } from './equivalents/organizations.ts';

export const EQUIVALENTS: readonly Equivalent[] = [
  ...OF_FLOWS,
  ...OF_LISTS_AND_TIMES,
  ...OF_MESSAGES,
  ...OF_ORGANIZATIONS,
];
