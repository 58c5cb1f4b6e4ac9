/** A real SMTP server that keeps every mail. */
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { opened } from './server.ts';

interface Post {
  readonly to: readonly string[];
  readonly raw: string;
}

export interface MailServer {
  /** For `SMTP_URL`. */
  readonly url: string;
  readonly posts: readonly Post[];
  /** Codes of SMTP that answer the next mails. */
  readonly refusals: number[];
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const posts: Post[] = [];
  const refusals: number[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      text(stream).then((raw) => {
        const responseCode = refusals.shift();
        if (responseCode !== undefined) {
          return done(Object.assign(new Error('not now'), { responseCode }));
        }
        posts.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw });
        return done();
      }, done);
    },
  });
  smtp.on('error', () => undefined);
  const { port, close } = await opened(smtp.server);
  return { url: `smtp://127.0.0.1:${port}`, posts, refusals, close };
}
