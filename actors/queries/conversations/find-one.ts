/** Look-up of one conversation or contact, for the API, the panel and `recado … show`. */
import { failure, renderFailure } from '../../../shared/failures.ts';
import { candidatesOf, readPhone } from '../../../shared/text/phone.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { stateOf } from '../../contact/documents.ts';
import { readContact, readContactByPhone } from '../../contact/read-contact.ts';
import { renderContact } from '../../contact/render.ts';
import { showConversations } from '../../conversation/show.ts';
import type { Environment } from '../../environment.ts';
import { readOrganization } from '../../organization/read-organization.ts';
import type { Query } from '../lists/answer.ts';
import { conversationOf } from './messages.ts';

/** Follows a join: answers the conversation that stays. */
export const findConversation: Query<'conversation'> = async (environment, named) => {
  const { conversation } = await conversationOf(environment.store, named.id);
  if (!conversation) return missing('conversation');
  const { orgId } = conversation;
  const [shown] = await showConversations(environment, orgId, [conversation]);
  return answerOf({ ...shown, orgId });
};

export const findContact: Query<'contact'> = async (environment, named) => {
  const document = await ('id' in named
    ? readContact(environment.store, named.id)
    : ofPhone(environment, named.orgId, named.phone));
  if (!document) return missing('contact');
  const state = stateOf(document);
  return answerOf({ ...renderContact(state), orgId: state.orgId });
};

/** GET /api/v1/conversations/{id}. Follows a join too. */
export const findOwnConversation: Query<'own-conversation'> = async (environment, query) => {
  const { orgId, id, channelScope } = query;
  const { conversation } = await conversationOf(environment.store, id);
  if (conversation?.orgId !== orgId) return renderFailure(failure('conversation_not_found'));
  if (channelScope !== null && conversation.channelId !== channelScope) {
    return renderFailure(failure('other_channel'));
  }
  const [data] = await showConversations(environment, orgId, [conversation]);
  return answerOf({ data });
};

/** A contact of the organization; for the panel with the changes of its opt-in, newest first. */
export const findOwnContact: Query<'own-contact'> = async ({ store }, query) => {
  const { orgId, id, withHistory = true } = query;
  const document = await readContact(store, id);
  const state = document && stateOf(document);
  if (state?.orgId !== orgId) return renderFailure(failure('contact_not_found'));
  if (!withHistory) return answerOf({ data: renderContact(state) });
  const optInHistory = (state.optInHistory ?? [])
    .map(({ at, optIn, source }) => ({ at: timestamp(at), optIn, source }))
    .toReversed();
  return answerOf({ data: { ...renderContact(state), optInHistory } });
};

/** The organization's country completes the number, and a contact's own comes first, as in the API. */
async function ofPhone(environment: Environment, orgId: string, written: string) {
  const organization = await readOrganization(environment.store, orgId, ['country']);
  const reading = organization && readPhone(written, organization.country);
  if (!reading) return null;
  if ('phone' in reading) return readContactByPhone(environment, orgId, reading.phone);
  for (const phone of candidatesOf(reading)) {
    const found = await readContactByPhone(environment, orgId, phone);
    if (found) return found;
  }
  return null;
}

function missing(what: string) {
  return { status: 404, body: JSON.stringify({ error: `There is no such ${what}.` }) };
}
