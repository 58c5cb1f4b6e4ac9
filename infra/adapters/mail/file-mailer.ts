/** Mails as files, where there is no mail server: one `<id>.eml` each, written once. */
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail, Mailer } from '../../../shared/ports/mailer.ts';
import { mailMessageOf } from './mail-message.ts';
import { MailTransport } from './mail-transport.ts';

export function createFileMailer(folder: string, from: string): Mailer {
  const options = { streamTransport: true, buffer: true, newline: 'windows' } as const;
  const transport = new MailTransport(({ createTransport }) => createTransport(options));
  return {
    reachesMailboxes: false,
    async send(mail) {
      try {
        const opened = await transport.open();
        const { message } = await opened.sendMail(mailMessageOf(mail, from));
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeOnce(folder, mail, message);
        return { outcome: 'sent' };
      } catch (cause) {
        return { outcome: 'later', reason: String(cause) };
      }
    },
    close: () => transport.close(),
  };
}

/** Whole or not at all; a link never replaces what was written under that id before. */
async function writeOnce(folder: string, mail: Mail, message: unknown): Promise<void> {
  if (!Buffer.isBuffer(message)) throw new TypeError('the mail is not in memory');
  const draft = join(folder, `.${mail.id}.${process.pid}`);
  await writeFile(draft, message, { mode: 0o600 });
  try {
    await link(draft, join(folder, `${mail.id}.eml`));
  } catch (cause) {
    if (Reflect.get(Object(cause), 'code') !== 'EEXIST') {
      throw new Error('cannot write the mail', { cause });
    }
  } finally {
    await rm(draft, { force: true });
  }
}
