/** The contact of a conversation must exist before its first entry (C4.9). */

import type { Bus } from '../../shared/ports/bus.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import { bodyOfSuccess } from '../../shared/wire/answer.ts';
import type { EnsureContact, EnsuredContact } from '../model/contact.ts';
import type { TurnContext } from '../runtime/kind.ts';

export interface ContactFacts
  extends Pick<EnsureContact, 'orgId' | 'phone' | 'profileName' | 'firstAd' | 'source' | 'origin'> {
  readonly id: string;
}

export async function ensureContact(
  { bus, ids }: { readonly bus: Pick<Bus, 'ask'>; readonly ids: Ids },
  { id, ...named }: ContactFacts,
  { deadline, requestId }: TurnContext,
): Promise<EnsuredContact> {
  const command: EnsureContact = { id: ids.fresh('cmd'), type: 'ensure', ...named };
  const options = { deadline, ...(requestId === undefined ? {} : { requestId }) };
  const answer = await bus.ask({ kind: 'contact', key: id }, command, options);
  return bodyOfSuccess(answer, 'the contact was not ensured');
}
