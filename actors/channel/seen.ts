/** What the desks of a process remember together. */
import type { Clock } from '../../shared/ports.ts';
import { type SettledSeqs, settledSeqs } from './lanes.ts';
import { noPeople, type People } from './person.ts';
import { type SentNames, sentNames } from './sent-index.ts';

export interface Seen {
  readonly settled: SettledSeqs;
  readonly sent: SentNames;
  readonly people: People;
}

/** Most statuses of a message come within seconds; a later one costs a read. */
const SENT_KEPT_MS = 30_000;

export function nothingSeen(clock: Pick<Clock, 'after'>): Seen {
  const sent = sentNames();
  const ageLater = (): void => {
    clock.after(SENT_KEPT_MS, () => {
      sent.age();
      ageLater();
    });
  };
  ageLater();
  return { settled: settledSeqs(), sent, people: noPeople() };
}
