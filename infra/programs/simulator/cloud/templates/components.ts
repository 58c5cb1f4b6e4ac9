/**
 * The components of a template as its administration takes them and returns them.
 *
 * Sources: Meta, "Template components", "Authentication templates" (2026); facebook/openapi
 * (v23.0), `/{WABA-ID}/message_templates`; david-lev/pywa 4.4.0, types/templates.py. The page
 * writes types in small letters, its examples and every answer in capitals: both are taken, and
 * capitals are kept.
 */
import * as v from 'valibot';
import { isRecord } from '../../../../adapters/network/webhook-body.ts';
import { someText, textUpTo, webAddress } from '../schema/shape.ts';

export const BODY_MAX = 1_024;
export const HEADER_MAX = 60;
const FOOTER_MAX = 60;
const BUTTON_TEXT_MAX = 25;
const URL_MAX = 2_000;
const CODE_MAX = 15;
const BUTTONS_MAX = 10;
const URL_BUTTONS_MAX = 2;
const PHONE_MAX = 20;
const EXPIRY_MAX = 90;

const namedExamples = v.array(v.strictObject({ param_name: someText, example: someText }));
const label = textUpTo(BUTTON_TEXT_MAX);

const textHeader = v.strictObject({
  type: v.literal('HEADER'),
  format: v.literal('TEXT'),
  text: textUpTo(HEADER_MAX),
  example: v.optional(
    v.strictObject({
      header_text: v.optional(v.array(someText)),
      header_text_named_params: v.optional(namedExamples),
    }),
  ),
});
const mediaHeader = v.strictObject({
  type: v.literal('HEADER'),
  format: v.picklist(['IMAGE', 'VIDEO', 'DOCUMENT']),
  example: v.strictObject({ header_handle: v.pipe(v.array(someText), v.minLength(1)) }),
});
const placeHeader = v.strictObject({ type: v.literal('HEADER'), format: v.literal('LOCATION') });

const body = v.strictObject({
  type: v.literal('BODY'),
  text: v.optional(textUpTo(BODY_MAX)),
  add_security_recommendation: v.optional(v.boolean()),
  example: v.optional(
    v.strictObject({
      body_text: v.optional(v.array(v.array(someText))),
      body_text_named_params: v.optional(namedExamples),
    }),
  ),
});
const footer = v.strictObject({
  type: v.literal('FOOTER'),
  text: v.optional(textUpTo(FOOTER_MAX)),
  code_expiration_minutes: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(EXPIRY_MAX)),
  ),
});

const button = v.variant('type', [
  v.strictObject({ type: v.literal('QUICK_REPLY'), text: label }),
  v.strictObject({
    type: v.literal('URL'),
    text: label,
    url: v.pipe(webAddress, textUpTo(URL_MAX)),
    example: v.optional(v.array(someText)),
  }),
  v.strictObject({
    type: v.literal('PHONE_NUMBER'),
    text: label,
    phone_number: textUpTo(PHONE_MAX),
  }),
  v.strictObject({
    type: v.literal('COPY_CODE'),
    text: v.optional(label),
    example: v.union([textUpTo(CODE_MAX), v.array(textUpTo(CODE_MAX))]),
  }),
  v.strictObject({
    type: v.literal('FLOW'),
    text: label,
    flow_id: v.optional(v.union([someText, v.number()])),
    flow_name: v.optional(someText),
    flow_action: v.optional(v.picklist(['navigate', 'data_exchange'])),
    navigate_screen: v.optional(someText),
  }),
  v.strictObject({
    type: v.literal('OTP'),
    otp_type: v.literal('COPY_CODE'),
    text: v.optional(label),
  }),
]);
const buttons = v.strictObject({
  type: v.literal('BUTTONS'),
  buttons: v.pipe(
    v.array(button),
    v.check(
      ({ length }) => length >= 1 && length <= BUTTONS_MAX,
      `must have 1 to ${BUTTONS_MAX} buttons.`,
    ),
    v.check(
      (all) => count(all, 'URL') <= URL_BUTTONS_MAX,
      `must have at most ${URL_BUTTONS_MAX} URL buttons.`,
    ),
    v.check((all) => count(all, 'PHONE_NUMBER') <= 1, 'must have at most 1 phone button.'),
    v.check((all) => count(all, 'COPY_CODE') <= 1, 'must have at most 1 copy code button.'),
  ),
});

function count(all: readonly TemplateButton[], type: TemplateButton['type']): number {
  return all.filter((each) => each.type === type).length;
}

const component = v.union([textHeader, mediaHeader, placeHeader, body, footer, buttons]);

export const componentsSchema = v.pipe(
  v.unknown(),
  v.transform(inCapitals),
  v.array(v.lazy((given) => schemaOf(given))),
  v.check(
    (all) => all.filter(({ type }) => type === 'BODY').length === 1,
    '#131008 needs a component of type BODY.',
  ),
  v.check(
    (all) => new Set(all.map(({ type }) => type)).size === all.length,
    'has a type of component twice.',
  ),
);

export type TemplateButton = v.InferOutput<typeof button>;
export type TemplateComponent = v.InferOutput<typeof component>;

/** One schema a component, so that a refusal names what is wrong with it. */
function schemaOf(given: unknown): v.GenericSchema<unknown, TemplateComponent> {
  const { type, format } = isRecord(given) ? given : {};
  switch (type) {
    case 'BODY':
      return body;
    case 'FOOTER':
      return footer;
    case 'BUTTONS':
      return buttons;
    default:
      if (format === 'TEXT') return textHeader;
      return format === 'LOCATION' ? placeHeader : mediaHeader;
  }
}

function inCapitals(components: unknown): unknown {
  if (!Array.isArray(components)) return components;
  return components.map((each: unknown) => {
    if (!isRecord(each)) return each;
    const raised = { ...each, ...raise(each, 'type'), ...raise(each, 'format') };
    if (!Array.isArray(each.buttons)) return raised;
    const inner = each.buttons.map((one: unknown) =>
      isRecord(one) ? { ...one, ...raise(one, 'type'), ...raise(one, 'otp_type') } : one,
    );
    return { ...raised, buttons: inner };
  });
}

function raise(record: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  const value = record[key];
  return typeof value === 'string' ? { [key]: value.toUpperCase() } : {};
}

/** The variables of a text, each once, in the order of their first places. */
export function variablesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name))];
}

/** The text with its variables replaced. */
export function rendered(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values.get(name) ?? whole);
}

/** The component of a type, where the template has it. */
export function componentOf<T extends TemplateComponent['type']>(
  components: readonly TemplateComponent[],
  type: T,
): Extract<TemplateComponent, { type: T }> | undefined {
  const isOfType = (each: TemplateComponent): each is Extract<TemplateComponent, { type: T }> =>
    each.type === type;
  return components.find(isOfType);
}

/** The buttons of a template, in order. */
export function buttonsOf(components: readonly TemplateComponent[]): readonly TemplateButton[] {
  return componentOf(components, 'BUTTONS')?.buttons ?? [];
}
