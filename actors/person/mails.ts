/** The mail with a sign-in link. It goes out once: a person who misses it asks for another. */
import { SIGN_IN_LINK_MS } from '../../shared/limits.ts';
import type { Environment } from '../environment.ts';

const MINUTE_MS = 60_000;

interface LinkMail {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly token: string;
}

/** Never throws. */
export async function mailSignInLink(
  { mailer, clock, log, settings }: Environment,
  { id, email, name, token }: LinkMail,
): Promise<void> {
  const { outcome, ...details } = await mailer.send({
    id,
    to: { name, address: email },
    subject: 'Seu link para entrar no Recado',
    text: [
      `Olá, ${name}!`,
      '',
      'Abra este link para entrar no painel. Ele vale uma vez, por',
      `${SIGN_IN_LINK_MS / MINUTE_MS} minutos:`,
      '',
      `${settings.panelUrl}/entrar#${token}`,
      '',
      'Se você não pediu este link, ignore esta mensagem.',
      '',
    ].join('\n'),
    at: clock.now(),
  });
  log.info({ mailId: id, outcome, ...details }, 'sign-in link mailed');
}
