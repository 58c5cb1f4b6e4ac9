/** `recado contacts list|show|join`. */
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { group } from '../output/group.ts';
import { fromNow } from '../output/humanize.ts';
import { addList, limitOption, type OfList, ORG } from '../output/lists.ts';
import { readPages } from '../output/pages.ts';
import { type Row, render, renderTable } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { findOrganization } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';

/** Rows that are listed by default. */
const LISTED = 50;
const PHONE = /^\+?[\d\s().\-/]+$/;

interface Filter extends OfList {
  readonly query?: string;
}

async function listContacts(service: Service, { org, query, limit = LISTED }: Filter) {
  const orgId = await findOrganization(service, org);
  const asked = { orgId, ...(query !== undefined && { query }) };
  return readPages((page) => service.query('contacts', { ...asked, ...page }), limit);
}

const contactSchema = v.looseObject({ id: v.string(), orgId: v.string() });

/** By id in any organization, by phone in one; with its conversations. */
async function showContact(service: Service, name: string, { org, limit = LISTED }: OfList) {
  const asked = PHONE.test(name)
    ? { orgId: await findOrganization(service, org), phone: name }
    : { id: name };
  const contact = readAnswer(contactSchema, await service.query('contact', asked));
  const theirs = { orgId: contact.orgId, contactId: contact.id };
  const { data } = await readPages(
    (page) => service.query('conversations', { ...theirs, ...page }),
    limit,
  );
  return { ...contact, conversations: data };
}

const joinedSchema = v.object({ found: v.number(), joined: v.number() });

async function joinContacts(service: Service, { org }: OfList) {
  const orgId = await findOrganization(service, org);
  return readAnswer(joinedSchema, await service.query('join-spellings', { orgId }));
}

const conversationSchema = v.looseObject({
  channel: v.object({ label: v.string() }),
  lastMessageAt: v.string(),
});

function conversationRow(row: Row, now: number): Row {
  const { id, status, unread, ...conversation } = v.parse(conversationSchema, row);
  const last = fromNow(conversation.lastMessageAt, now);
  const preview = conversation.lastMessagePreview;
  return { id, status, channel: conversation.channel.label, unread, last, preview };
}

function contactRow({ id, name, phone, tags, optIn, updatedAt }: Row, now: number): Row {
  return { id, name, phone, tags, optIn, changed: fromNow(String(updatedAt), now) };
}

export function addContacts(program: Command, printing: Printing, now: () => number): void {
  const contacts = group(program, 'contacts', "an organization's contacts");
  addList<Filter>(contacts, printing, {
    description: `lists contacts, the ${LISTED} changed last unless told otherwise`,
    options: [new Option('--query <text>', 'part of a name, phone or e-mail')],
    read: listContacts,
    row: (row) => contactRow(row, now()),
  });
  contacts
    .command('show')
    .description('shows a contact with its conversations')
    .argument('<contact>', 'id or phone of the contact')
    .option(...ORG)
    .addOption(limitOption('how many conversations at most'))
    .action((name: string, asked: OfList) =>
      printing.show((service) => showContact(service, name, asked), {
        text: ({ conversations, ...contact }) => {
          const rows = conversations.map((row) => conversationRow(row, now()));
          return `${render(contact)}\n${renderTable(rows)}`;
        },
      }),
    );
  contacts
    .command('join')
    .description('joins contacts whose number is on record in two spellings (Mexico, Argentina)')
    .option(...ORG)
    .action((asked: OfList) =>
      printing.show((service) => joinContacts(service, asked), {
        text: ({ found, joined }) =>
          `${found} contacts under a second spelling, ${joined} of them were two.\n`,
      }),
    );
}
