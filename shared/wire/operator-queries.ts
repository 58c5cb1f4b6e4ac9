/** Payloads and answers of the queries that only `recado top` asks. */

/** Entries of an agenda that wait, whoever owns their partitions. */
export interface AgendaBacklog {
  /** `sends`, `deliveries`, `scheduled`, `timers`, `reminders`. */
  readonly agenda: string;
  /** Counted up to `BACKLOG_COUNTED_MAX`. */
  readonly waiting: number;
  /** There are more than were counted. */
  readonly more: boolean;
  /** How long the oldest one has been due; 0 where none is. */
  readonly oldestDueMs: number;
}

export interface FindOrganizationRefs {
  readonly orgIds: readonly string[];
}
