/**
 * `interactive` of a message: reply buttons, a list, or a button with an address.
 *
 * Sources: facebook/openapi (v23.0), InteractiveObject and what it names; Meta, "Interactive
 * reply buttons messages", "Interactive list messages", "Interactive Call-to-Action URL Button
 * Messages" (2026). The sources differ in two places. The document has 1,024 characters for every
 * body, and the page of lists 4,096. The document has every header for every type, and the page
 * of lists text alone. The page wins in the first, and the stricter in the second.
 */
import * as v from 'valibot';
import { allDiffer, mediaOf, textUpTo, webAddress } from './shape.ts';

const BODY_MAX = 1_024;
const LIST_BODY_MAX = 4_096;
const SMALL_MAX = 60;
const LABEL_MAX = 20;
const BUTTONS_MAX = 3;
const BUTTON_ID_MAX = 256;
const SECTIONS_MAX = 10;
const ROWS_MAX = 10;
const ROW_ID_MAX = 200;
const ROW_TITLE_MAX = 24;
const ROW_DESCRIPTION_MAX = 72;

const textHeader = v.strictObject({
  type: v.literal('text'),
  text: textUpTo(SMALL_MAX),
  sub_text: v.optional(textUpTo(SMALL_MAX)),
});
const header = v.variant('type', [
  textHeader,
  v.strictObject({ type: v.literal('image'), image: mediaOf({}) }),
  v.strictObject({ type: v.literal('video'), video: mediaOf({}) }),
  v.strictObject({
    type: v.literal('document'),
    document: mediaOf({ filename: v.optional(v.string()) }),
  }),
]);
const footer = v.optional(v.strictObject({ text: textUpTo(SMALL_MAX) }));
const bodyUpTo = (most: number) => v.strictObject({ text: textUpTo(most) });

/** "No leading/trailing spaces" of the document. */
const identifier = (most: number) =>
  v.pipe(
    textUpTo(most),
    v.check((text) => text.trim() === text, 'has spaces at its begin or end.'),
  );

const replyButton = v.strictObject({
  type: v.literal('reply'),
  reply: v.strictObject({ id: identifier(BUTTON_ID_MAX), title: textUpTo(LABEL_MAX) }),
});
const replyButtons = v.pipe(
  v.array(replyButton),
  v.check(
    ({ length }) => length >= 1 && length <= BUTTONS_MAX,
    `must have 1 to ${BUTTONS_MAX} buttons.`,
  ),
  v.check((buttons) => allDiffer(buttons.map(({ reply }) => reply.id)), 'has an id twice.'),
  v.check((buttons) => allDiffer(buttons.map(({ reply }) => reply.title)), 'has a title twice.'),
);

const row = v.strictObject({
  id: textUpTo(ROW_ID_MAX),
  title: textUpTo(ROW_TITLE_MAX),
  description: v.optional(textUpTo(ROW_DESCRIPTION_MAX)),
});
const section = v.strictObject({
  title: v.optional(textUpTo(ROW_TITLE_MAX)),
  rows: v.pipe(
    v.array(row),
    v.check(({ length }) => length > 0, 'must have a row.'),
  ),
});
type Sections = readonly v.InferOutput<typeof section>[];
const rowsOf = (sections: Sections) => sections.flatMap(({ rows }) => rows);
const sections = v.pipe(
  v.array(section),
  v.check(
    ({ length }) => length >= 1 && length <= SECTIONS_MAX,
    `must have 1 to ${SECTIONS_MAX} sections.`,
  ),
  v.check(
    (all) => rowsOf(all).length <= ROWS_MAX,
    `must have at most ${ROWS_MAX} rows in all sections.`,
  ),
  v.check((all) => allDiffer(rowsOf(all).map(({ id }) => id)), 'has the id of a row twice.'),
  v.check(
    (all) => all.length === 1 || all.every(({ title }) => title !== undefined),
    '#131008 needs a title for each of several sections.',
  ),
);

export const interactiveSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('button'),
    header: v.optional(header),
    body: bodyUpTo(BODY_MAX),
    footer,
    action: v.strictObject({ buttons: replyButtons }),
  }),
  v.strictObject({
    type: v.literal('list'),
    header: v.optional(textHeader),
    body: bodyUpTo(LIST_BODY_MAX),
    footer,
    action: v.strictObject({ button: textUpTo(LABEL_MAX), sections }),
  }),
  v.strictObject({
    type: v.literal('cta_url'),
    header: v.optional(header),
    body: bodyUpTo(BODY_MAX),
    footer,
    action: v.strictObject({
      name: v.literal('cta_url'),
      parameters: v.strictObject({ display_text: textUpTo(LABEL_MAX), url: webAddress }),
    }),
  }),
]);

export type InteractiveInput = v.InferOutput<typeof interactiveSchema>;

interface ShownButton {
  readonly id: string;
  readonly title: string;
}

interface ShownRow extends ShownButton {
  readonly description?: string | undefined;
}

/** An interactive message as the contact sees it. */
export interface ShownInteractive {
  readonly type: InteractiveInput['type'];
  /** The text of the header, or the kind of its media. */
  readonly header?: string;
  readonly footer?: string;
  readonly buttons?: readonly ShownButton[];
  /** The label that opens the list. */
  readonly button?: string;
  readonly sections?: readonly {
    readonly title?: string | undefined;
    readonly rows: readonly ShownRow[];
  }[];
  readonly displayText?: string;
  readonly url?: string;
}

export function shownInteractive(input: InteractiveInput): ShownInteractive {
  const { type } = input;
  const about = {
    ...(input.header === undefined
      ? {}
      : { header: input.header.type === 'text' ? input.header.text : input.header.type }),
    ...(input.footer === undefined ? {} : { footer: input.footer.text }),
  };
  switch (input.type) {
    case 'button':
      return { type, ...about, buttons: input.action.buttons.map(({ reply }) => reply) };
    case 'list':
      return { type, ...about, ...input.action };
    case 'cta_url': {
      const { display_text: displayText, url } = input.action.parameters;
      return { type, ...about, displayText, url };
    }
  }
}
