/** The port through which mails go out. Types only. */

/** A mail in plain text. */
export interface Mail {
  /** Opaque id: sent again under the same id, a mail has the same Message-ID. */
  readonly id: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  /** Epoch milliseconds; the `Date` header. */
  readonly at: number;
}

export type MailOutcome =
  | { readonly outcome: 'sent' }
  /** Final: this mail will never be accepted. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Not now, or in doubt: try again, under the same id. */
  | { readonly outcome: 'later'; readonly reason: string };

/** Never throws. */
export interface Mailer {
  /** False where mails are written into a folder. */
  readonly reachesMailboxes: boolean;
  send(mail: Mail): Promise<MailOutcome>;
  close(): Promise<void>;
}
