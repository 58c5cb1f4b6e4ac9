/**
 * `template` of a message: its name, language and parameters, before they are judged against the
 * template itself.
 *
 * Sources: facebook/openapi (v23.0), TemplateObject and what it names; Meta, "Template
 * components", "Coupon code templates" (2026). Named parameters and buttons beside the document's
 * three are after david-lev/pywa 4.4.0, types/templates.py. The document has the index as a text,
 * its clients send numbers: both are taken.
 */
import * as v from 'valibot';
import { mediaOf, someText, textUpTo } from './shape.ts';
import { locationSchema } from './simple-contents.ts';

const NAME_MAX = 512;
const TEXT_MAX = 32_768;
const COUPON_MAX = 15;
const URL_VALUE_MAX = 2_000;
const LAST_BUTTON = 9;

const named = { parameter_name: v.optional(someText) };
const text = v.strictObject({
  type: v.literal('text'),
  text: v.pipe(
    textUpTo(TEXT_MAX),
    v.check(
      (value) => !/[\n\r\t]| {5,}/.test(value),
      '#132018 cannot have new-line/tab characters or more than 4 consecutive spaces.',
    ),
  ),
  ...named,
});
const currency = v.strictObject({
  type: v.literal('currency'),
  currency: v.strictObject({
    fallback_value: someText,
    code: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/, 'must be a currency code of ISO 4217.')),
    amount_1000: v.pipe(v.number(), v.integer('must be a whole number.')),
  }),
  ...named,
});
const dateTime = v.strictObject({
  type: v.literal('date_time'),
  date_time: v.strictObject({ fallback_value: someText }),
  ...named,
});
const place = v.strictObject({ type: v.literal('location'), location: locationSchema });

const header = v.strictObject({
  type: v.literal('header'),
  parameters: v.array(
    v.variant('type', [
      text,
      currency,
      dateTime,
      place,
      v.strictObject({ type: v.literal('image'), image: mediaOf({}) }),
      v.strictObject({ type: v.literal('video'), video: mediaOf({}) }),
      v.strictObject({
        type: v.literal('document'),
        document: mediaOf({ filename: v.optional(someText) }),
      }),
    ]),
  ),
});
const body = v.strictObject({
  type: v.literal('body'),
  parameters: v.array(v.variant('type', [text, currency, dateTime])),
});

const index = v.pipe(
  v.union([v.string(), v.number()]),
  v.check((value) => /^\d$/.test(String(value)), `must be a number from 0 to ${LAST_BUTTON}.`),
  v.transform(Number),
);
const one = <S extends v.GenericSchema>(parameter: S) =>
  v.pipe(
    v.array(parameter),
    v.check(({ length }) => length === 1, '#131008 takes exactly one parameter.'),
  );
const button = v.variant('sub_type', [
  v.strictObject({
    type: v.literal('button'),
    sub_type: v.literal('url'),
    index,
    parameters: one(v.strictObject({ type: v.literal('text'), text: textUpTo(URL_VALUE_MAX) })),
  }),
  v.strictObject({
    type: v.literal('button'),
    sub_type: v.literal('quick_reply'),
    index,
    parameters: one(v.strictObject({ type: v.literal('payload'), payload: someText })),
  }),
  v.strictObject({
    type: v.literal('button'),
    sub_type: v.literal('copy_code'),
    index,
    parameters: one(
      v.strictObject({ type: v.literal('coupon_code'), coupon_code: textUpTo(COUPON_MAX) }),
    ),
  }),
  v.strictObject({
    type: v.literal('button'),
    sub_type: v.literal('flow'),
    index,
    parameters: one(
      v.strictObject({
        type: v.literal('action'),
        action: v.strictObject({
          flow_token: v.optional(someText),
          flow_action_data: v.optional(v.record(v.string(), v.unknown())),
        }),
      }),
    ),
  }),
]);

const component = v.variant('type', [header, body, button]);

export const templateSchema = v.strictObject({
  name: textUpTo(NAME_MAX),
  language: v.strictObject({
    code: someText,
    policy: v.optional(v.literal('deterministic')),
  }),
  components: v.optional(v.array(component), []),
});

export type TemplateInput = v.InferOutput<typeof templateSchema>;
export type ComponentInput = TemplateInput['components'][number];
export type ButtonInput = Extract<ComponentInput, { type: 'button' }>;
export type TextParameter = Extract<ComponentInput, { type: 'body' }>['parameters'][number];
export type HeaderParameter = Extract<ComponentInput, { type: 'header' }>['parameters'][number];
