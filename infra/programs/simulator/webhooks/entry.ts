/** Entries of the two networks' webhook bodies, and the POST that contains them. */

/** One update: its kind (the list or the event it belongs to) and its JSON. */
export interface WebhookEntry {
  readonly kind: string;
  readonly json: string;
  /** `cloud`: the entry of `contacts[]` that comes with it. */
  readonly contact?: string;
  /** `cloud`: the account that an update of an account is of; the channel's own unless set. */
  readonly account?: string;
  /** `web`: the properties beside the payload. */
  readonly head?: Readonly<Record<string, unknown>>;
}

export interface WebhookPost {
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}
