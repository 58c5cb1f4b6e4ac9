/** Mails to a person about signing in. One goes out once: who misses a link asks for another. */
import { INVITATION_LINK_MS, SIGN_IN_LINK_MS } from '../../shared/limits.ts';
import { withoutControl } from '../../shared/text/control-characters.ts';
import type { ActingPerson } from '../../shared/wire/audit.ts';
import type { Environment } from '../environment.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

type Mailing = Pick<Environment, 'mailer' | 'clock' | 'log' | 'settings'>;

interface Addressed {
  /** Of the mail. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

interface WithToken extends Addressed {
  readonly token: string;
}

/** Never throws. */
export function mailSignInLink(mailing: Mailing, { token, ...to }: WithToken): Promise<boolean> {
  return send(mailing, to, 'Seu link para entrar no Recado', [
    'Abra este link para entrar no painel. Ele vale uma vez, por',
    `${SIGN_IN_LINK_MS / MINUTE_MS} minutos:`,
    '',
    linkOf(mailing, token),
    '',
    'Se você não pediu este link, ignore esta mensagem.',
  ]);
}

interface Invitation extends WithToken {
  readonly organization: string;
  readonly inviter: string;
}

/** Whether it has left for a mailbox. Never throws. */
export async function mailInvitation(
  mailing: Mailing,
  { token, organization, inviter, ...to }: Invitation,
): Promise<boolean> {
  const [inOrganization, by] = [organization, inviter].map(withoutControl);
  const sent = await send(mailing, to, `Convite para ${inOrganization} no Recado`, [
    `${by} convidou você para a equipe de ${inOrganization}.`,
    '',
    'Abra este link para entrar no painel. Ele vale uma vez, por',
    `${INVITATION_LINK_MS / DAY_MS} dias:`,
    '',
    linkOf(mailing, token),
    '',
    'Se você não conhece esta organização, ignore esta mensagem.',
  ]);
  return sent && mailing.mailer.reachesMailboxes;
}

interface NewPassphrase extends Addressed {
  readonly by: ActingPerson | undefined;
}

/** Never throws. */
export function mailPassphraseSet(
  mailing: Mailing,
  { by, ...to }: NewPassphrase,
): Promise<boolean> {
  return send(mailing, to, 'Sua senha no Recado mudou', [
    'Uma senha nova foi definida para o seu e-mail no painel,',
    `a partir do endereço ${by?.address ?? 'desconhecido'}.`,
    '',
    'Se não foi você, peça um link em “Receber um link” e defina outra:',
    '',
    `${mailing.settings.panelUrl}/entrar`,
  ]);
}

function linkOf({ settings }: Mailing, token: string): string {
  return `${settings.panelUrl}/entrar#${token}`;
}

/** Names that were stored before they were checked lose what is no text. */
async function send(
  { mailer, clock, log }: Mailing,
  { id, email, name: stored }: Addressed,
  subject: string,
  lines: readonly string[],
): Promise<boolean> {
  const name = withoutControl(stored);
  const text = [`Olá, ${name}!`, '', ...lines, ''].join('\n');
  const to = { name, address: email };
  const { outcome, ...details } = await mailer.send({ id, to, subject, text, at: clock.now() });
  log.info({ mailId: id, outcome, ...details }, 'mail about signing in sent');
  return outcome === 'sent';
}
