/** `recado conversations list|show`: conversations, and their messages with the notes. */
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { CONVERSATION_STATUSES, type ConversationStatus } from '../../../../shared/vocabulary.ts';
import { channelId } from '../organization/entries.ts';
import { CONVERSATIONS, group } from '../output/group.ts';
import { fromNow, moment } from '../output/humanize.ts';
import { addList, limitOption, type OfList } from '../output/lists.ts';
import { readPages } from '../output/pages.ts';
import { type Row, render, renderTable } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { findOrganization } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';

/** Default numbers of listed rows and of shown messages. */
const LISTED = 50;

interface Filter extends OfList {
  readonly status?: ConversationStatus;
  readonly channel?: string;
}

async function listConversations(service: Service, filter: Filter) {
  const { org, status, channel, limit = LISTED } = filter;
  const orgId = await findOrganization(service, org);
  const asked = {
    orgId,
    ...(status !== undefined && { status }),
    ...(channel !== undefined && { channelId: await channelId(service, orgId, channel) }),
  };
  return readPages((page) => service.query('conversations', { ...asked, ...page }), limit);
}

const rowSchema = v.looseObject({
  id: v.string(),
  channel: v.object({ id: v.string(), label: v.string(), provider: v.string() }),
  contact: v.object({
    id: v.string(),
    phone: v.nullable(v.string()),
    name: v.nullable(v.string()),
  }),
  lastMessagePreview: v.nullable(v.string()),
});

const conversationSchema = v.looseObject({ ...rowSchema.entries, orgId: v.string() });

/** With its newest messages, oldest first. */
async function showConversation(service: Service, id: string, limit = LISTED) {
  const answer = await service.query('conversation', { id });
  const conversation = readAnswer(conversationSchema, answer);
  const { orgId, id: conversationId } = conversation;
  const asked = { orgId, conversationId, includeNotes: true, channelScope: null };
  const { data, total } = await readPages(
    (page) => service.query('messages', { ...asked, ...page }),
    limit,
  );
  return { ...conversation, messages: data.toReversed(), messagesTotal: total };
}

type Conversation = Awaited<ReturnType<typeof showConversation>>;

const messageSchema = v.looseObject({
  direction: v.string(),
  kind: v.string(),
  text: v.nullable(v.string()),
  author: v.object({ label: v.string() }),
  status: v.string(),
  error: v.optional(v.nullable(v.looseObject({ message: v.string() }))),
  createdAt: v.string(),
});

function messageRow(row: Row): Row {
  const message = v.parse(messageSchema, row);
  const { direction, kind, author, createdAt, error } = message;
  const said = message.text ?? `[${kind}]`;
  const text = error ? `${said} (${error.message})` : said;
  const status = direction === 'out' ? message.status : null;
  return { at: moment(createdAt), direction, by: author.label, status, text };
}

function renderConversation(conversation: Conversation): string {
  const { messages, messagesTotal, channel, contact, ...rest } = conversation;
  const { lastMessagePreview: _, ...head } = rest;
  const who = [contact.name, contact.phone, contact.id].filter((each) => each !== null);
  const shown = { ...head, channel: channel.label, contact: who.join(', ') };
  const more = messagesTotal > messages.length;
  const note = more ? `${messages.length} of ${messagesTotal} messages; --limit shows more.\n` : '';
  return `${render(shown)}\n${renderTable(messages.map(messageRow), 'wrap')}${note}`;
}

function conversationRow(row: Row, now: number): Row {
  const conversation = v.parse(rowSchema, row);
  const { id, channel, contact, status, unread, lastMessagePreview: preview } = conversation;
  const last = fromNow(String(conversation.lastMessageAt), now);
  const who = contact.name ?? contact.phone;
  return { id, status, channel: channel.label, contact: who, unread, last, preview };
}

export function addConversationLists(
  program: Command,
  printing: Printing,
  now: () => number,
): void {
  const conversations = group(program, 'conversations', CONVERSATIONS);
  addList<Filter>(conversations, printing, {
    description: `lists conversations, the newest ${LISTED} unless told otherwise`,
    options: [
      new Option('--status <status>', 'their status').choices([...CONVERSATION_STATUSES]),
      new Option('--channel <channel>', 'ref or id of a channel'),
    ],
    read: listConversations,
    row: (row) => conversationRow(row, now()),
  });
  conversations
    .command('show')
    .description('shows a conversation with its newest messages and notes')
    .argument('<conversationId>', 'the id of the conversation')
    .addOption(limitOption(`how many messages at most, ${LISTED} unless given`))
    .action((id: string, { limit }: { limit?: number }) =>
      printing.show((service) => showConversation(service, id, limit), {
        text: renderConversation,
      }),
    );
}
