/** Asks the contact's actor: it creates a missing contact and follows a merged one. */
import type { EnsureContact, EnsuredContact } from '../contact/commands.ts';
import type { Environment } from '../environment.ts';
import type { TurnContext } from '../runtime/actor.ts';

export interface ContactFacts
  extends Pick<EnsureContact, 'orgId' | 'phone' | 'profileName' | 'source'> {
  readonly id: string;
}

export async function ensureContact(
  { bus, ids }: Pick<Environment, 'bus' | 'ids'>,
  { id, orgId, phone, profileName, source }: ContactFacts,
  { deadline, requestId }: TurnContext,
): Promise<EnsuredContact> {
  const command: EnsureContact = {
    id: ids.fresh('cmd'),
    type: 'ensure',
    orgId,
    phone,
    profileName,
    source,
  };
  const options = { deadline, ...(requestId === undefined ? {} : { requestId }) };
  const answer = await bus.ask({ kind: 'contact', key: id }, command, options);
  if (answer.status !== 200) throw new Error(`the contact was not ensured: ${answer.status}`);
  const ensured: EnsuredContact = JSON.parse(answer.body);
  return ensured;
}
