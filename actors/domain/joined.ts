/** Links of a conversation to others of the same person on its channel (D142). */
export interface Joined {
  /** The older conversation that answers for this one. */
  readonly joinedTo?: string;
  /** Younger conversations whose messages are part of this one, in the order of their joins. */
  readonly joined?: readonly string[];
}
