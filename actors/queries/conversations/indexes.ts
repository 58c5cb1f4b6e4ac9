/** Indexes of the lists of conversations, one for each set of filters. */
import type { ListPanelConversations } from '../../../shared/wire/queries.ts';
import type { Order } from '../../model/collections.ts';

const ORG = { 'snapshot.orgId': 1 } as const;
const CHANNEL = { 'snapshot.channelId': 1 } as const;
const ASSIGNED = { 'snapshot.assignedTo': 1 } as const;
const UNREAD = { 'snapshot.hasUnread': 1 } as const;
/** Every index has the status before the order: a list of all statuses merges three scans. */
const NEWEST = { 'snapshot.status': 1, 'snapshot.lastMessageAt': -1, _id: -1 } as const;

/** With every filter and the searched text: a page reads no conversation but its own. */
export const EVERY_CONVERSATION: Order<'conversations'> = {
  ...{ ...ORG, ...NEWEST, ...CHANNEL, ...ASSIGNED, ...UNREAD },
  'snapshot.search': 1,
};
const OF_CHANNEL: Order<'conversations'> = { ...ORG, ...CHANNEL, ...NEWEST };
const OF_MEMBER: Order<'conversations'> = { ...ORG, ...ASSIGNED, ...NEWEST, ...CHANNEL, ...UNREAD };
/** Has only the unread ones. */
const UNREAD_ONLY: Order<'conversations'> = { ...ORG, ...NEWEST, ...CHANNEL, ...UNREAD };

type Filters = Pick<ListPanelConversations, 'assignedTo' | 'unread' | 'channelId'>;

/** The index that leads to the fewest conversations. */
export function conversationIndex({
  assignedTo,
  unread,
  channelId,
}: Filters): Order<'conversations'> {
  if (assignedTo !== undefined) return OF_MEMBER;
  if (unread === true) return UNREAD_ONLY;
  return channelId === undefined ? EVERY_CONVERSATION : OF_CHANNEL;
}
