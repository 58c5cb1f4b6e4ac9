/** The mailer that the settings ask for: a mail server, or a folder where there is none. */
import { join } from 'node:path';
import type { Mailer } from '../../../shared/ports/mailer.ts';
import { createFileMailer } from './file-mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

export interface MailSettings {
  /** `smtp:` or `smtps:`. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
  /** Absolute; mails go to `mail/*.eml` in it. */
  readonly dataDir: string;
}

export function createMailer({ smtpUrl, from, dataDir }: MailSettings): Mailer {
  return smtpUrl === undefined
    ? createFileMailer(join(dataDir, 'mail'), from)
    : createSmtpMailer(smtpUrl, from);
}
