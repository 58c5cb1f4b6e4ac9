/**
 * Content of a `send` step other than text and files: templates, buttons and lists, reactions,
 * places, contact cards (docs/flows.md). A text without Liquid is judged by the network's limits
 * when it is applied, the others once they are rendered.
 */
import * as v from 'valibot';
import { INTERACTIVE } from '../interactive-limits.ts';
import { CONTACT_CARDS_MAX, CONTACT_NAME_MAX_CHARS, LOCATION_TEXT_MAX_CHARS } from '../limits.ts';
import {
  TEMPLATE_NAME_MAX_CHARS,
  TEMPLATE_VALUE_MAX_CHARS,
  TEMPLATE_VALUES_MAX,
} from '../template-limits.ts';
import { isOneEmoji } from '../text/emoji.ts';
import { isLiquid, stepMessage, template, templatesBy } from './flow-values.ts';
import { messageFor } from './problem-message.ts';
import { matching, NOT_TEXT, text, wholeNumber } from './values.ts';

const LITERAL_FIELDS: ReadonlySet<string> = new Set(['id', 'type', 'language', 'file']);

/**
 * Whether a property is sent as it is written; every other text is a template. The properties of a
 * `body` are names of a template's variables, which may be any.
 *
 * @param holder name of the property that holds the object
 */
export function isLiteralField(holder: string, name: string): boolean {
  return holder !== 'body' && LITERAL_FIELDS.has(name);
}

/** One emoji is a sequence of a few code points. */
const EMOJI_MAX_CHARS = 32;
const CARD_PHONES_MAX = 10;
const TEMPLATE_BUTTONS_MAX = 10;

/** A template whose own text is at most so long, where it has no Liquid. */
function templateUpTo(maxChars: number) {
  return v.pipe(
    template,
    v.check(
      (value) => isLiquid(value) || Array.from(value).length <= maxChars,
      messageFor('tooLong', { most: maxChars }),
    ),
    v.title(`template, at most ${maxChars} characters`),
  );
}

function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

export const file = v.pipe(v.string(NOT_TEXT), v.title("a file's ref"));

const templateValue = templateUpTo(TEMPLATE_VALUE_MAX_CHARS);
const NOT_VALUES = messageFor('notValues', {});

export const templateSchema = v.strictObject(
  {
    name: v.pipe(
      text(TEMPLATE_NAME_MAX_CHARS),
      v.check((name) => !isLiquid(name), messageFor('liquidInName', {})),
    ),
    language: matching(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, messageFor('notLanguage', {})),
    header: v.exactOptional(
      v.pipe(
        v.strictObject(
          { text: v.exactOptional(templateValue), file: v.exactOptional(file) },
          stepMessage,
        ),
        v.check(
          (header) => (header.text === undefined) !== (header.file === undefined),
          messageFor('textOrFile', {}),
        ),
      ),
    ),
    body: v.exactOptional(
      v.union(
        [
          v.pipe(
            v.array(templateValue),
            v.maxLength(
              TEMPLATE_VALUES_MAX,
              messageFor('tooManyTextsHeld', { most: TEMPLATE_VALUES_MAX }),
            ),
          ),
          templatesBy(text(TEMPLATE_NAME_MAX_CHARS)),
        ],
        NOT_VALUES,
      ),
    ),
    buttons: v.exactOptional(
      v.pipe(
        v.array(
          v.strictObject(
            { index: wholeNumber(0, TEMPLATE_BUTTONS_MAX - 1), value: template },
            stepMessage,
          ),
          messageFor('notButtons', {}),
        ),
        v.maxLength(
          TEMPLATE_BUTTONS_MAX,
          messageFor('tooManyButtons', { most: TEMPLATE_BUTTONS_MAX }),
        ),
        v.check(
          (buttons) => isUnique(buttons.map(({ index }) => String(index))),
          messageFor('repeatedIndex', {}),
        ),
      ),
    ),
  },
  stepMessage,
);

const frame = {
  header: v.exactOptional(templateUpTo(INTERACTIVE.HEADER_MAX_CHARS)),
  footer: v.exactOptional(templateUpTo(INTERACTIVE.FOOTER_MAX_CHARS)),
};
const buttonTitle = templateUpTo(INTERACTIVE.BUTTON_TITLE_MAX_CHARS);
const rowTitle = templateUpTo(INTERACTIVE.ROW_TITLE_MAX_CHARS);

export const buttonsSchema = v.strictObject(
  {
    type: v.literal('buttons'),
    text: templateUpTo(INTERACTIVE.TEXT_MAX_CHARS),
    ...frame,
    buttons: v.pipe(
      v.array(
        v.strictObject(
          { id: text(INTERACTIVE.BUTTON_ID_MAX_CHARS), title: buttonTitle },
          stepMessage,
        ),
        messageFor('notButtons', {}),
      ),
      v.minLength(1, messageFor('noButtons', {})),
      v.maxLength(
        INTERACTIVE.BUTTONS_MAX,
        messageFor('tooManyButtons', { most: INTERACTIVE.BUTTONS_MAX }),
      ),
      v.check((buttons) => isUnique(buttons.map(({ id }) => id)), messageFor('repeatedId', {})),
      v.check(
        (buttons) => isUnique(buttons.map(({ title }) => title)),
        messageFor('repeatedTitle', {}),
      ),
    ),
  },
  stepMessage,
);

const rows = v.pipe(
  v.array(
    v.strictObject(
      {
        id: text(INTERACTIVE.ROW_ID_MAX_CHARS),
        title: rowTitle,
        description: v.exactOptional(templateUpTo(INTERACTIVE.ROW_DESCRIPTION_MAX_CHARS)),
      },
      stepMessage,
    ),
    messageFor('notRows', {}),
  ),
  v.minLength(1, messageFor('noRows', {})),
);

export const listSchema = v.strictObject(
  {
    type: v.literal('list'),
    text: templateUpTo(INTERACTIVE.LIST_TEXT_MAX_CHARS),
    ...frame,
    /** Title of the button that opens the list. */
    button: buttonTitle,
    sections: v.pipe(
      v.array(
        v.strictObject({ title: v.exactOptional(rowTitle), rows }, stepMessage),
        messageFor('notSections', {}),
      ),
      v.minLength(1, messageFor('noSections', {})),
      v.check(
        (sections) => sections.flatMap((each) => each.rows).length <= INTERACTIVE.ROWS_MAX,
        messageFor('tooManyRows', { most: INTERACTIVE.ROWS_MAX }),
      ),
      v.check(
        (sections) => isUnique(sections.flatMap((each) => each.rows.map(({ id }) => id))),
        messageFor('repeatedId', {}),
      ),
      v.check(
        (sections) => sections.length === 1 || sections.every(({ title }) => title !== undefined),
        messageFor('untitledSections', {}),
      ),
    ),
  },
  stepMessage,
);

export const urlSchema = v.strictObject(
  {
    type: v.literal('url'),
    text: templateUpTo(INTERACTIVE.TEXT_MAX_CHARS),
    ...frame,
    title: buttonTitle,
    url: template,
  },
  stepMessage,
);

export const interactiveSchema = v.variant(
  'type',
  [buttonsSchema, listSchema, urlSchema],
  ({ received }) =>
    received === 'undefined' || received === 'Object'
      ? messageFor('requiredOneOf', { names: ['buttons', 'list', 'url'] })
      : messageFor('notOneOf', { names: ['buttons', 'list', 'url'] }),
);

export const reactionSchema = v.strictObject(
  {
    /** Empty: the reaction is taken back. */
    emoji: v.pipe(
      v.string(NOT_TEXT),
      v.maxCodePoints(EMOJI_MAX_CHARS, messageFor('tooLong', { most: EMOJI_MAX_CHARS })),
      v.check((emoji) => emoji === '' || isOneEmoji(emoji), messageFor('notEmoji', {})),
      v.title('emoji'),
    ),
  },
  stepMessage,
);

function degrees(most: number) {
  const message = messageFor('notDegrees', { most });
  const number = v.pipe(v.number(), v.minValue(-most, message), v.maxValue(most, message));
  return v.union([number, template], message);
}

const placeText = templateUpTo(LOCATION_TEXT_MAX_CHARS);

export const locationSchema = v.strictObject(
  {
    latitude: degrees(90),
    longitude: degrees(180),
    name: v.exactOptional(placeText),
    address: v.exactOptional(placeText),
  },
  stepMessage,
);

const cardText = templateUpTo(CONTACT_NAME_MAX_CHARS);

export const cardSchema = v.strictObject(
  {
    name: cardText,
    phones: v.pipe(
      v.array(template, messageFor('notPhones', {})),
      v.minLength(1, messageFor('noPhones', {})),
      v.maxLength(CARD_PHONES_MAX, messageFor('tooManyPhones', { most: CARD_PHONES_MAX })),
    ),
    email: v.exactOptional(template),
    organization: v.exactOptional(cardText),
  },
  stepMessage,
);

export const cardsSchema = v.pipe(
  v.array(cardSchema, messageFor('notContacts', {})),
  v.minLength(1, messageFor('noContacts', {})),
  v.maxLength(CONTACT_CARDS_MAX, messageFor('tooManyContacts', { most: CONTACT_CARDS_MAX })),
);
