/**
 * Makes the two links of an invitation, and mails one of them. The other is the admin's to copy: it
 * proves no mailbox. Outside of the mailboxes, as a mail server may take its time.
 */
import { personOfEmail } from '../../shared/entity-ids.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import { answerOf, bodyOfSuccess } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { Environment } from '../environment.ts';
import { findMembership } from '../organization/memberships.ts';
import { mailInvitation } from '../person/mails.ts';
import type { Query } from './lists/answer.ts';

/** A slower mail server counts as one that has failed. Shorter than an ask's deadline. */
const MAIL_MS = 4_000;

export const sendInvitation: Query<'send-invitation'> = async (environment, query) => {
  const { store, ids, bus, clock, settings } = environment;
  const { orgId, memberId, inviter, seed } = query;
  const member = await findMembership(store, { orgId, memberId });
  const email = member?.memberEmail ?? null;
  if (!member || email === null) return renderFailure(failure('member_not_found'));
  const person = personOfEmail(ids, email);
  const [mailed, copied] = ['mailed', 'copied'].map((which) => ids.digest(`${which} ${seed}`));
  if (!mailed || !copied) throw new Error('an invitation has two links');
  const command = {
    id: ids.fresh('inv'),
    type: 'add-invitation',
    to: { orgId, memberId },
    mailed: ids.digest(mailed),
    copied: ids.digest(copied),
  } as const;
  const deadline = clock.now() + ASK_DEADLINE_MS - MAIL_MS;
  const added = await bus.ask({ kind: 'person', key: person }, command, { deadline });
  const { expiresAt } = bodyOfSuccess(added, 'an invitation was not made');
  const hasLeft = await withinTime(
    environment,
    mailInvitation(environment, {
      ...{ id: ids.derive('mai', seed), email, name: member.memberName, inviter },
      ...{ organization: member.orgName, token: `${person}.${mailed}` },
    }),
  );
  const url = `${settings.panelUrl}/entrar#${person}.${copied}`;
  return answerOf({ url, expiresAt: timestamp(expiresAt), mailed: hasLeft });
};

/** False where the mail has not left by then. */
async function withinTime({ clock }: Pick<Environment, 'clock'>, mail: Promise<boolean>) {
  const late = Promise.withResolvers<boolean>();
  const cancel = clock.after(MAIL_MS, () => late.resolve(false));
  return Promise.race([mail.finally(cancel), late.promise]);
}
