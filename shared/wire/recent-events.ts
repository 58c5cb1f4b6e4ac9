/**
 * Events of an organization as people see them happen in the panel. They are in the memory of the
 * organization's owner, while a page of it is open.
 */

export interface RecentEvent {
  /** Derived from the change: an event that is published again keeps it. */
  readonly id: string;
  /** When the owner published it, ISO 8601. */
  readonly at: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Answers `RecentEventList`. */
export interface ListRecentEvents {
  readonly id: string;
  readonly type: 'list-recent-events';
  /** Of an earlier answer: only what came after it is answered. */
  readonly cursor: string | null;
}

export interface RecentEventList {
  /** Newest first. */
  readonly data: readonly RecentEvent[];
  readonly cursor: string;
}
