/** Schemas of contacts in requests and answers (C2.4, C4.6). */
import * as v from 'valibot';
import {
  CONTACT_FIELD_KEY_MAX_CHARS,
  CONTACT_FIELD_VALUE_MAX_CHARS,
  CONTACT_FIELDS_MAX,
  CONTACT_NAME_MAX_CHARS,
  TAGS_MAX_PER_REQUEST,
} from '../limits.ts';
import { foldTag } from '../text/fold-tag.ts';
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

const removeFields = listUpTo(textUpTo(CONTACT_FIELD_KEY_MAX_CHARS), CONTACT_FIELDS_MAX);

/** What a change sets and takes away. */
const changes = {
  email: v.optional(emailOrEmpty),
  fields: v.optional(fields),
  removeFields: v.optional(removeFields),
  tags: v.optional(tags),
  removeTags: v.optional(tags),
  optIn: v.optional(booleanField),
};
const name = nameBetween(0, CONTACT_NAME_MAX_CHARS);

interface Removing {
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly removeFields?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
}

const CONTACT_SENTENCES = {
  setAndRemoved: 'Não pode ser definido e removido na mesma chamada.',
  nothingToChange: 'Informe ao menos um campo para alterar.',
  phoneStays: 'O telefone de um contato não muda por aqui.',
} as const;

/** Nothing is set and removed at once: the issue is at what is removed. */
function removesOthers<Changed extends Removing>() {
  return v.rawCheck<Changed>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const { fields: set = {}, tags: given = [], removeFields: names, removeTags } = value;
    const named: Record<string, unknown> = Object.fromEntries(Object.entries(value));
    const folded = new Set(given.map(foldTag));
    const both = {
      removeFields: names?.map((each) => Object.hasOwn(set, each)),
      removeTags: removeTags?.map((each) => folded.has(foldTag(each))),
    };
    for (const key of ['removeFields', 'removeTags'] as const) {
      const input = value[key] ?? [];
      for (const [at, isSet] of (both[key] ?? []).entries()) {
        if (!isSet) continue;
        const path: [v.ObjectPathItem, v.ArrayPathItem] = [
          { type: 'object', origin: 'value', input: named, key, value: input },
          { type: 'array', origin: 'value', input: [...input], key: at, value: input[at] },
        ];
        addIssue({ message: CONTACT_SENTENCES.setAndRemoved, path });
      }
    }
  });
}

export const UpsertContactBody = v.pipe(
  requestObject({ phone: phoneText, name: v.optional(name), ...changes }),
  removesOthers(),
);

export const ChangeContactBody = v.pipe(
  requestObject({
    phone: v.optional(v.never(CONTACT_SENTENCES.phoneStays)),
    name: v.optional(v.nullable(name)),
    ...changes,
  }),
  v.check(
    (change) => Object.values(change).some((value) => value !== undefined),
    CONTACT_SENTENCES.nothingToChange,
  ),
  removesOthers(),
);

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
