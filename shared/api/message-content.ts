/**
 * Schemas of content other than text and files, in requests and in the history. The limits are the
 * network's own (docs/networks.md).
 */
import * as v from 'valibot';
import { INTERACTIVE } from '../interactive-limits.ts';
import { CONTACT_CARDS_MAX, CONTACT_NAME_MAX_CHARS, LOCATION_TEXT_MAX_CHARS } from '../limits.ts';
import {
  TEMPLATE_NAME_MAX_CHARS,
  TEMPLATE_URL_VALUE_MAX_CHARS,
  TEMPLATE_VALUE_MAX_CHARS,
  TEMPLATE_VALUES_MAX,
} from '../template-limits.ts';
import { isOneEmoji } from '../text/emoji.ts';
import { AUTHOR_KINDS } from '../vocabulary.ts';
import {
  choice,
  emailText,
  id,
  idText,
  listOrMap,
  listUpTo,
  numberBetween,
  requestObject,
  textBetween,
  textMap,
  textUpTo,
  webUrl,
  wholeBetween,
  wholeCount,
} from './fields.ts';
import { SENTENCES } from './sentences.ts';

const templateValue = textBetween(1, TEMPLATE_VALUE_MAX_CHARS);
const buttonValue = textBetween(1, TEMPLATE_URL_VALUE_MAX_CHARS);

const HEADER_FIELDS = ['text', 'mediaUrl', 'mediaId'] as const;

const headerBody = v.pipe(
  requestObject({
    text: v.optional(templateValue),
    mediaUrl: v.optional(webUrl),
    mediaId: v.optional(idText),
  }),
  v.check(
    (header) => HEADER_FIELDS.filter((field) => header[field] !== undefined).length === 1,
    SENTENCES.oneHeader,
  ),
);

/** By position, or by name. */
const bodyValues = listOrMap(
  listUpTo(templateValue, TEMPLATE_VALUES_MAX),
  textMap({ value: templateValue, max: TEMPLATE_VALUES_MAX }),
);

export const TemplateBody = requestObject({
  name: textBetween(1, TEMPLATE_NAME_MAX_CHARS),
  language: textBetween(2, 20),
  header: v.optional(headerBody),
  body: v.optional(bodyValues),
  buttons: v.optional(
    listUpTo(requestObject({ index: wholeBetween(0, 9), value: buttonValue }), 10),
  ),
});
export type TemplateBody = v.InferOutput<typeof TemplateBody>;

const frame = {
  header: v.exactOptional(textBetween(1, INTERACTIVE.HEADER_MAX_CHARS)),
  footer: v.exactOptional(textBetween(1, INTERACTIVE.FOOTER_MAX_CHARS)),
};
const bodyText = textBetween(1, INTERACTIVE.TEXT_MAX_CHARS);

function areUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

const buttons = v.pipe(
  listUpTo(
    requestObject({
      id: v.pipe(
        textBetween(1, INTERACTIVE.BUTTON_ID_MAX_CHARS),
        v.check((text) => text.trim() === text, SENTENCES.outerSpaces),
      ),
      title: textBetween(1, INTERACTIVE.BUTTON_TITLE_MAX_CHARS),
    }),
    INTERACTIVE.BUTTONS_MAX,
  ),
  v.minLength(1, SENTENCES.empty),
  v.check((list) => areUnique(list.map((each) => each.id)), SENTENCES.uniqueIds),
  v.check((list) => areUnique(list.map(({ title }) => title)), SENTENCES.uniqueTitles),
);

const section = requestObject({
  title: v.exactOptional(textBetween(1, INTERACTIVE.ROW_TITLE_MAX_CHARS)),
  rows: v.pipe(
    listUpTo(
      requestObject({
        id: textBetween(1, INTERACTIVE.ROW_ID_MAX_CHARS),
        title: textBetween(1, INTERACTIVE.ROW_TITLE_MAX_CHARS),
        description: v.exactOptional(textBetween(1, INTERACTIVE.ROW_DESCRIPTION_MAX_CHARS)),
      }),
      INTERACTIVE.ROWS_MAX,
    ),
    v.minLength(1, SENTENCES.empty),
  ),
});

const sections = v.pipe(
  listUpTo(section, INTERACTIVE.ROWS_MAX),
  v.minLength(1, SENTENCES.empty),
  v.check(
    (list) => list.flatMap(({ rows }) => rows).length <= INTERACTIVE.ROWS_MAX,
    SENTENCES.tooManyRows,
  ),
  v.check(
    (list) => areUnique(list.flatMap(({ rows }) => rows.map((row) => row.id))),
    SENTENCES.uniqueIds,
  ),
  v.check(
    (list) => list.length === 1 || list.every(({ title }) => title !== undefined),
    SENTENCES.sectionTitles,
  ),
);

export const InteractiveBody = v.variant(
  'type',
  [
    requestObject({ type: v.literal('buttons'), text: bodyText, ...frame, buttons }),
    requestObject({
      type: v.literal('list'),
      text: textBetween(1, INTERACTIVE.LIST_TEXT_MAX_CHARS),
      ...frame,
      button: textBetween(1, INTERACTIVE.BUTTON_TITLE_MAX_CHARS),
      sections,
    }),
    requestObject({
      type: v.literal('url'),
      text: bodyText,
      ...frame,
      title: textBetween(1, INTERACTIVE.BUTTON_TITLE_MAX_CHARS),
      url: webUrl,
    }),
  ],
  ({ expected }) => (expected === 'Object' ? SENTENCES.objectExpected : SENTENCES.interactiveType),
);

/** One emoji is a sequence of a few code points; the empty text takes the reaction back. */
export const ReactionBody = requestObject({
  messageId: idText,
  emoji: v.pipe(
    textUpTo(32),
    v.check((emoji) => emoji === '' || isOneEmoji(emoji), SENTENCES.oneEmoji),
  ),
});

export const LocationBody = requestObject({
  latitude: numberBetween(-90, 90),
  longitude: numberBetween(-180, 180),
  name: v.exactOptional(textBetween(1, LOCATION_TEXT_MAX_CHARS)),
  address: v.exactOptional(textBetween(1, LOCATION_TEXT_MAX_CHARS)),
});

/** As a person writes it: an extension is one too. */
const cardPhone = v.pipe(
  textBetween(3, 40),
  v.check((text) => /\d/.test(text), SENTENCES.noDigits),
);

export const ContactCardsBody = v.pipe(
  listUpTo(
    requestObject({
      name: textBetween(1, CONTACT_NAME_MAX_CHARS),
      phones: v.pipe(listUpTo(cardPhone, 10), v.minLength(1, SENTENCES.empty)),
      email: v.exactOptional(emailText),
      organization: v.exactOptional(textBetween(1, CONTACT_NAME_MAX_CHARS)),
    }),
    CONTACT_CARDS_MAX,
  ),
  v.minLength(1, SENTENCES.empty),
);

const WINDOW_RULES = ['send', 'refuse'] as const;
const LATE_RULES = ['send', 'expire'] as const;
export const outsideWindow = choice(WINDOW_RULES);
export const ifLate = choice(LATE_RULES);

const text = v.string();
const shownButton = v.object({ id: text, title: text });
const shownRow = v.object({ ...shownButton.entries, description: v.optional(text) });
const shownFrame = { text, header: v.optional(text), footer: v.optional(text) };

/** `interactive` in the history: the message that was sent, or the contact's choice. */
export const ShownInteractive = v.variant('type', [
  v.object({ type: v.literal('buttons'), ...shownFrame, buttons: v.array(shownButton) }),
  v.object({
    type: v.literal('list'),
    ...shownFrame,
    button: text,
    sections: v.array(v.object({ title: v.optional(text), rows: v.array(shownRow) })),
  }),
  v.object({ type: v.literal('url'), ...shownFrame, title: text, url: text }),
  v.object({ type: v.literal('button'), ...shownRow.entries }),
  v.object({ type: v.literal('row'), ...shownRow.entries }),
]);

export const ShownAuthor = v.object({ kind: v.picklist(AUTHOR_KINDS), label: text });
/** `sizeBytes` is null where the network does not tell it of a file that has not come. */
export const ShownMedia = v.object({
  id,
  mimeType: text,
  fileName: v.nullable(text),
  sizeBytes: v.nullable(wholeCount),
  url: v.nullable(text),
});
export const ShownTemplate = v.object({ name: v.string(), language: v.string() });
export const ShownReaction = v.object({ messageId: v.nullable(id), emoji: v.string() });
export const ShownLocation = v.object({
  latitude: v.number(),
  longitude: v.number(),
  name: v.optional(v.string()),
  address: v.optional(v.string()),
});
export const ShownAd = v.object({
  sourceId: v.nullable(text),
  sourceType: v.nullable(text),
  sourceUrl: v.nullable(text),
  clickId: v.nullable(text),
  headline: v.nullable(text),
  body: v.nullable(text),
});
const ShownProduct = v.object({ catalogId: v.nullable(text), retailerId: text });
const ShownOrder = v.object({
  catalogId: v.nullable(text),
  text: v.nullable(text),
  items: v.array(
    v.object({
      retailerId: text,
      quantity: wholeCount,
      priceCents: v.nullable(wholeCount),
      currency: v.nullable(text),
    }),
  ),
});
/** Of a contact's message alone; absent where there is none. */
export const shownCommerce = {
  ad: v.optional(ShownAd),
  product: v.optional(ShownProduct),
  order: v.optional(ShownOrder),
};
export const ShownContactCard = v.object({
  name: v.string(),
  phones: v.array(v.string()),
  email: v.optional(v.string()),
  organization: v.optional(v.string()),
});
