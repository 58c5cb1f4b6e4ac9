/** Mails through a real server (`SMTP_URL`). */
import type { Mailer, MailOutcome } from '../../../shared/ports/mailer.ts';
import { mailMessageOf } from './mail-message.ts';
import { MailTransport } from './mail-transport.ts';

const CONNECT_MS = 10_000;
/** Of silence; a send ends well before its claim does (`REMINDER_CLAIM_MS`). */
const SILENCE_MS = 20_000;
const CONNECTIONS_MAX = 4;

export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  const options = {
    url: smtpUrl,
    pool: true as const,
    maxConnections: CONNECTIONS_MAX,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  };
  const transport = new MailTransport(({ createTransport }) => createTransport(options));
  return {
    reachesMailboxes: true,
    async send(mail) {
      try {
        await (await transport.open()).sendMail(mailMessageOf(mail, from));
        return { outcome: 'sent' };
      } catch (cause) {
        return failed(cause);
      }
    },
    close: () => transport.close(),
  };
}

/** A 5xx about this very mail is final; credentials, the network and everything else may mend. */
function failed(cause: unknown): MailOutcome {
  const { code, responseCode, command, message } = Object(cause) as Readonly<
    Partial<Record<'code' | 'responseCode' | 'command' | 'message', unknown>>
  >;
  const about = code === 'EENVELOPE' || code === 'EMESSAGE';
  const final = about && (typeof responseCode !== 'number' || responseCode >= 500);
  // A server's answer may repeat the address, which must not appear in a log.
  const detail = typeof responseCode === 'number' ? responseCode : message;
  const reason = [code, command, detail].filter(Boolean).join(' ');
  return { outcome: final ? 'refused' : 'later', reason };
}
