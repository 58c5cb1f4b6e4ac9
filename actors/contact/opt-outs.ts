/**
 * Opt-out of the contact of a conversation, as it is on record at this moment: a full one, or of
 * marketing messages.
 *
 * 1. The contact's record is read, never a copy of it: an opt-out that was answered is seen.
 * 2. A contact's word opts out when its message is recorded. The command to the contact's actor may
 *    still be in the outbox of that message: it counts already.
 */
import type { OutboxCommand } from '../../shared/wire/outbox.ts';
import { shelfFor } from '../../shared/wire/subjects.ts';
import { isOptedOut, refusesMarketing } from '../domain/contact.ts';
import type { ConversationState } from '../domain/conversation/conversation.ts';
import type { Store } from '../model/collections.ts';
import { readContact } from './read-contact.ts';

/** Joins lead to ever older conversations: a longer chain is a fault. */
const JOINS_MAX = 32;

/** The state of the conversation that answers for this one, after its last entry. */
export async function readAnswering(
  store: Store,
  conversationId: string,
): Promise<ConversationState | null> {
  const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
  let id = conversationId;
  for (let hops = 0; hops < JOINS_MAX; hops++) {
    const last = await store.findOne('entries', { conversationId: id }, newest);
    if (last?.after.joinedTo === undefined) return last?.after ?? null;
    id = last.after.joinedTo;
  }
  return null;
}

type Answering = Pick<ConversationState, 'id' | 'contact'>;

/**
 * Whether the contact wants no messages.
 * @param runId the run that said the message in question: an opt-out by a later step of it does not
 *   count, since a farewell precedes it (docs/flows.md) and may still wait for its turn
 */
export async function hasOptedOut(
  store: Store,
  answering: Answering,
  runId?: string,
): Promise<boolean> {
  const isOther: IsWish = (command) =>
    isOptOut(command) && !(runId !== undefined && 'runId' in command && command.runId === runId);
  const { contact, wishedAt } = await readWishes(store, answering, isOther);
  const isByRun = runId !== undefined && contact?.optOutRunId === runId;
  if (contact && isOptedOut(contact) && !isByRun) return true;
  if (wishedAt === null) return false;
  return !(contact?.optIn === true && (contact.optInAt ?? 0) > wishedAt);
}

/** Whether the contact wants no marketing messages, or none at all. */
export async function hasRefusedMarketing(store: Store, answering: Answering): Promise<boolean> {
  const { contact, wishedAt } = await readWishes(store, answering, isMarketingStop);
  if (contact && refusesMarketing(contact)) return true;
  if (wishedAt !== null && (contact?.marketingResumedAt ?? 0) <= wishedAt) return true;
  return hasOptedOut(store, answering);
}

type IsWish = (command: OutboxCommand['command']) => boolean;

const isOptOut: IsWish = (command) => 'optIn' in command && command.optIn === false;
const isMarketingStop: IsWish = (command) => 'wanted' in command && command.wanted === false;

async function readWishes(
  store: Store,
  { id, contact: { id: contactId } }: Answering,
  isWish: IsWish,
) {
  // The outbox is read first: what leaves it in between is on the contact's record.
  const wishedAt = await readWishTime(store, id, isWish);
  return { wishedAt, contact: await readContact(store, contactId) };
}

/** When the contact said so by a message whose outbox may be unpublished; null: it did not. */
async function readWishTime(
  store: Store,
  conversationId: string,
  isWish: IsWish,
): Promise<number | null> {
  const pending = shelfFor('conversation', conversationId);
  const filter = { pending, conversationId, outbox: { $exists: true } };
  const project = { outbox: 1, after: 1 } as const;
  // Few: entries of the last seconds.
  const entries = await store.find('entries', filter, { project });
  const wishes = entries.filter(({ outbox = [] }) =>
    outbox.some((item) => item.type === 'command' && isWish(item.command)),
  );
  return wishes.length === 0 ? null : Math.max(...wishes.map(({ after }) => after.at));
}
