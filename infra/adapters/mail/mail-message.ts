/** A mail in nodemailer's form. */
import type { SendMailOptions } from 'nodemailer';
import type { Mail } from '../../../shared/ports/mailer.ts';

const NO_DOMAIN = 'recado.invalid';

/** The same mail id under the same sender always makes the same Message-ID. */
export function mailMessageOf(mail: Mail, from: string): SendMailOptions {
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? NO_DOMAIN;
  return {
    from,
    to: { name: oneLine(mail.to.name), address: mail.to.address },
    subject: oneLine(mail.subject),
    text: mail.text,
    date: new Date(mail.at),
    messageId: `<${mail.id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
