/** What the desks of a process remember together. */
import { type SettledSeqs, settledSeqs } from './lanes.ts';
import { type SentNames, sentNames } from './sent-index.ts';

export interface Seen {
  readonly settled: SettledSeqs;
  readonly sent: SentNames;
}

export function nothingSeen(): Seen {
  return { settled: settledSeqs(), sent: sentNames() };
}
