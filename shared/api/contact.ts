/** Schemas of contacts in requests and answers (C2.4, C4.6). */
import * as v from 'valibot';
import {
  CONTACT_FIELD_KEY_MAX_CHARS,
  CONTACT_FIELD_VALUE_MAX_CHARS,
  CONTACT_FIELDS_MAX,
  CONTACT_NAME_MAX_CHARS,
  TAGS_MAX_PER_REQUEST,
} from '../limits.ts';
import { CONTACT_SOURCES } from '../vocabulary.ts';
import {
  anyText,
  booleanField,
  emailOrEmpty,
  id,
  listUpTo,
  nameBetween,
  pageEntries,
  pageSiblings,
  phoneFilter,
  phoneText,
  requestObject,
  tagText,
  textMap,
  textUpTo,
  timestamp,
} from './fields.ts';
import { ShownAd } from './message-content.ts';

export const ContactSchema = v.object({
  id,
  phone: v.string(),
  name: v.nullable(v.string()),
  email: v.nullable(v.string()),
  fields: v.record(v.string(), v.string()),
  tags: v.array(v.string()),
  optIn: v.boolean(),
  optInAt: v.nullable(timestamp),
  optOutAt: v.nullable(timestamp),
  source: v.picklist(CONTACT_SOURCES),
  createdAt: timestamp,
  updatedAt: timestamp,
  /** Present while the contact wants no marketing messages (D327). */
  marketingOptOutAt: v.optional(timestamp),
  /** The first advertisement that brought the contact. */
  firstAd: v.optional(v.object({ ...ShownAd.entries, at: timestamp })),
});
type Parsed = v.InferOutput<typeof ContactSchema>;
export type Contact = Omit<Parsed, 'tags'> & { readonly tags: readonly string[] };

/** `{id, phone, name}`: how other resources name a contact. */
export const ContactNameSchema = v.object({
  id,
  phone: v.string(),
  name: v.nullable(v.string()),
});

const tags = listUpTo(tagText, TAGS_MAX_PER_REQUEST);

/** 200 at most: a contact holds no more than that (D6, D123). */
const fields = textMap({
  key: textUpTo(CONTACT_FIELD_KEY_MAX_CHARS),
  value: textUpTo(CONTACT_FIELD_VALUE_MAX_CHARS),
  max: CONTACT_FIELDS_MAX,
});

export const UpsertContactBody = requestObject({
  phone: phoneText,
  name: v.optional(nameBetween(0, CONTACT_NAME_MAX_CHARS)),
  email: v.optional(emailOrEmpty),
  fields: v.optional(fields),
  tags: v.optional(tags),
  optIn: v.optional(booleanField),
});

export const ListContactsQuery = requestObject({
  query: v.optional(anyText),
  phone: v.optional(phoneFilter),
  tag: v.optional(tagText),
  optIn: v.optional(booleanField),
  ...pageEntries,
});

export const ContactAnswer = v.object({ data: ContactSchema });
export const UpsertContactAnswer = v.object({ data: ContactSchema, created: v.boolean() });
export const ListContactsAnswer = v.object({ data: v.array(ContactSchema), ...pageSiblings });
