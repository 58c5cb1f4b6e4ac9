/**
 * Derived ids of entities. An id is derived from the entity's identity. So a send by phone and one
 * by `conversationId` reach the same mailbox without a look-up. A repeated creation gets the same
 * id (I15, I18).
 */
import type { Ids } from './ports/ids.ts';
import type { SecretLocation } from './ports/vault.ts';
import { phoneKey, storedSpellings } from './text/phone-spellings.ts';
import { channelPrefix, coLocatedPrefix } from './wire/subjects.ts';

/** One organization per `ref` in the installation. */
export function organizationId(ids: Ids, ref: string): string {
  return ids.derive('org', ref);
}

/** An entry of a provisioning file keeps its id over all runs: `ref` is its key. */
export function entryId(ids: Ids, prefix: string, entry: { orgId: string; ref: string }): string {
  return ids.derive(prefix, entry.orgId, entry.ref);
}

/** As `entryId`, with the channel's partition, which is that of its conversations (D351). */
export function channelId(ids: Ids, { orgId, ref }: { orgId: string; ref: string }): string {
  return ids.derive(channelPrefix('chn', `${orgId} ${ref}`), orgId, ref);
}

/** One contact per organization and number (or opaque network identity), however it is spelled. */
export function contactId(ids: Ids, orgId: string, identity: string): string {
  return ids.derive('ctc', orgId, phoneKey(identity));
}

/** Contacts that were stored under another spelling of the number, before it had one key. */
export function spelledContactIds(ids: Ids, orgId: string, phone: string): readonly string[] {
  return storedSpellings(phone).map((spelling) => ids.derive('ctc', orgId, spelling));
}

/**
 * The contact of a number that another contact has left: networks recycle numbers. A number that
 * is left twice leads to another one each time.
 */
export function laterContactId(
  ids: Ids,
  left: { readonly id: string; readonly orgId: string },
  release: string,
): string {
  return ids.derive('ctc', left.orgId, release, left.id);
}

/** One conversation per channel and contact, for ever (D9). Its partition is its channel's. */
export function conversationId(ids: Ids, channelId: string, contact: string): string {
  return ids.derive(coLocatedPrefix('cnv', 'channel', channelId), channelId, contact);
}

/** An inbound message is named by its network id: a repeated webhook does nothing. */
export function inboundMessageId(ids: Ids, channelId: string, externalId: string): string {
  return ids.derive('msg', channelId, externalId);
}

/** A message typed on the phone. A contact may choose an id equal to one of ours. */
export function echoMessageId(ids: Ids, channelId: string, externalId: string): string {
  return ids.derive('msg', channelId, externalId, 'out');
}

/** A file that a network reports is named by its message: who asks for it early finds that. */
export function reportedMediaId(messageId: string): string {
  return messageId.replace(/^msg_/, 'med_');
}

/** The message of a file that a network has reported; no message has the id of another file's. */
export function messageOfMedia(mediaId: string): string {
  return mediaId.replace(/^med_/, 'msg_');
}

/** The template in place of a message that the window refused: one for each. */
export function fallbackMessageId(ids: Ids, refusedId: string): string {
  return ids.derive('msg', refusedId, 'fallback');
}

/** The actor of a person: of an e-mail, whatever its case, else of one member alone. */
export function personId(
  ids: Ids,
  {
    id,
    orgId,
    email,
  }: { readonly id: string; readonly orgId: string; readonly email: string | null },
): string {
  return email === null ? ids.derive('prs', orgId, id) : personOfEmail(ids, email);
}

export function personOfEmail(ids: Ids, email: string): string {
  return ids.derive('prs', email.trim().toLowerCase());
}

/** One delivery per event and subscription. */
export function deliveryId(ids: Ids, eventId: string, subscriptionId: string): string {
  return ids.derive('dlv', eventId, subscriptionId);
}

/** The default pipeline of an organization: the same id in every process that makes it. */
export function defaultPipelineId(ids: Ids, orgId: string): string {
  return ids.derive('pip', orgId, 'default');
}

/** A stage of the default pipeline, by its first position on the board. */
export function defaultStageId(ids: Ids, orgId: string, position: number): string {
  return ids.derive('stg', orgId, 'default', String(position));
}

/** One reminder per task, time and assignee: the mail's identity over restarts. */
export function reminderId(
  ids: Ids,
  taskId: string,
  reminder: { readonly at: number; readonly assigneeId: string },
): string {
  return ids.derive('rem', taskId, String(reminder.at), reminder.assigneeId);
}

/** A setting of a channel's network, by its name. */
export function channelSecret(orgId: string, channelId: string, name: string): SecretLocation {
  return { orgId, recordId: channelId, field: `network.${name}` };
}

/** A business account of one organization, whichever of its channels it serves. */
export function accountId(ids: Ids, orgId: string, businessAccountId: string): string {
  return ids.derive('wba', orgId, businessAccountId);
}

/** A template keeps its id through every synchronisation. */
export function templateId(
  ids: Ids,
  account: string,
  { name, language }: { readonly name: string; readonly language: string },
): string {
  return ids.derive('tpl', account, name, language);
}

/** The document of a template within one listing of its account. */
export function listedTemplateId(ids: Ids, template: string, listing: number): string {
  return ids.derive('tpd', template, String(listing));
}

/** The secret that signs a subscription's deliveries. */
export function signingSecret(orgId: string, subscriptionId: string): SecretLocation {
  return { orgId, recordId: subscriptionId, field: 'signing' };
}

/** Syntax of our ids: a text without it identifies nothing, and costs no ask. */
const ID = /^[A-Za-z0-9_-]{1,40}$/;

export function looksLikeId(text: string): boolean {
  return ID.test(text);
}
