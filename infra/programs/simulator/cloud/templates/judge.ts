/**
 * The network's judgement of a template message against the template itself: pure.
 *
 * Sources: Meta, "Error codes" (May 2026), for the codes; the wording of the details after answers
 * in chatwoot/chatwoot #13142, tawn33y/whatsapp-cloud-api #57, shridarpatil/whatomate #285. A
 * missing or unknown name of a named parameter is a mismatch of format here (132012); no source
 * shows another code.
 */
import { countCharacters } from '../schema/shape.ts';
import type {
  ButtonInput,
  ComponentInput,
  HeaderParameter,
  TemplateInput,
  TextParameter,
} from '../schema/template-message.ts';
import {
  BODY_MAX,
  buttonsOf,
  componentOf,
  HEADER_MAX,
  rendered,
  type TemplateButton,
  variablesIn,
} from './components.ts';
import type { Template } from './types.ts';

export interface TemplateRefusal {
  readonly code: number;
  readonly details: string;
}

/** The button of a template as the contact gets it. */
export interface ShownTemplateButton {
  readonly type: TemplateButton['type'];
  readonly text: string;
  /** The answer's `payload` when a quick reply is pressed. */
  readonly payload?: string;
  readonly url?: string;
}

/** A template message as the contact sees it. */
export interface ShownTemplate {
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly text: string;
  /** The header's text, or the kind of its media. */
  readonly header?: string;
  /** The upload of the header. */
  readonly mediaId?: string | undefined;
  readonly footer?: string;
  readonly buttons?: readonly ShownTemplateButton[];
}

type Judged<T> = { readonly refusal: TemplateRefusal } | { readonly value: T };

const REFUSING: Readonly<Record<string, readonly [number, string]>> = {
  PAUSED: [132015, 'Template is paused due to low quality.'],
  DISABLED: [132016, 'Template is disabled due to low quality.'],
};

/** @param template undefined where the account has none of that name and language */
export function judgeTemplate(
  template: Template | undefined,
  input: TemplateInput,
): Judged<ShownTemplate> {
  const { name, language } = input;
  const [code, details] = REFUSING[template?.status ?? ''] ?? [];
  if (code !== undefined && details !== undefined) return refuse(code, details);
  if (template?.status !== 'APPROVED') {
    return refuse(132001, `template name (${name}) does not exist in ${language.code}`);
  }
  const kinds = input.components.map((each) => (each.type === 'button' ? each.index : each.type));
  if (new Set(kinds).size !== kinds.length) return refuse(131009, 'a component comes twice');
  const header = judgeHeader(template, partOf(input, 'header')?.parameters ?? []);
  if ('refusal' in header) return header;
  const body = judgeBody(template, partOf(input, 'body')?.parameters ?? []);
  if ('refusal' in body) return body;
  const buttons = judgeButtons(template, input);
  if ('refusal' in buttons) return buttons;
  const footer = componentOf(template.components, 'FOOTER')?.text;
  const value = {
    name,
    language: language.code,
    category: template.category,
    text: body.value,
    ...header.value,
    ...(footer === undefined ? {} : { footer }),
    ...(buttons.value.length === 0 ? {} : { buttons: buttons.value }),
  };
  return { value };
}

function partOf<T extends 'header' | 'body'>(
  { components }: TemplateInput,
  type: T,
): Extract<ComponentInput, { type: T }> | undefined {
  const isPart = (each: ComponentInput): each is Extract<ComponentInput, { type: T }> =>
    each.type === type;
  return components.find(isPart);
}

function judgeHeader(
  template: Template,
  parameters: readonly HeaderParameter[],
): Judged<Pick<ShownTemplate, 'header' | 'mediaId'>> {
  const header = componentOf(template.components, 'HEADER');
  const [first] = parameters;
  if (header === undefined) return counted('header', parameters, 0) ?? { value: {} };
  if (header.format === 'TEXT') {
    const texts = parameters.filter(isText);
    if (texts.length !== parameters.length) return mismatch('TEXT', first);
    const text = judgeText(
      { where: 'header', text: header.text, most: HEADER_MAX },
      {
        template,
        parameters: texts,
      },
    );
    return 'refusal' in text ? text : { value: { header: text.value } };
  }
  if (first?.type.toUpperCase() !== header.format) return mismatch(header.format, first);
  const extra = counted('header', parameters, 1);
  if (extra !== null) return extra;
  return { value: { header: header.format.toLowerCase(), mediaId: uploadOf(first) } };
}

function uploadOf(parameter: HeaderParameter): string | undefined {
  switch (parameter.type) {
    case 'image':
      return parameter.image.id;
    case 'video':
      return parameter.video.id;
    case 'document':
      return parameter.document.id;
    default:
      return undefined;
  }
}

function mismatch(expected: string, first: HeaderParameter | undefined) {
  const received = first?.type.toUpperCase() ?? 'UNKNOWN';
  return refuse(132012, `header: Format mismatch, expected ${expected}, received ${received}`);
}

function judgeBody(template: Template, parameters: readonly TextParameter[]): Judged<string> {
  const text = componentOf(template.components, 'BODY')?.text ?? '';
  return judgeText({ where: 'body', text, most: BODY_MAX }, { template, parameters });
}

function isText(parameter: HeaderParameter): parameter is TextParameter {
  return ['text', 'currency', 'date_time'].includes(parameter.type);
}

interface TextPart {
  readonly where: 'header' | 'body';
  readonly text: string;
  readonly most: number;
}

function judgeText(
  { where, text, most }: TextPart,
  given: { readonly template: Template; readonly parameters: readonly TextParameter[] },
): Judged<string> {
  const { template, parameters } = given;
  const variables = variablesIn(text);
  const miscounted = counted(where, parameters, variables.length);
  if (miscounted !== null) return miscounted;
  const isNamed = template.parameterFormat === 'NAMED';
  const values = new Map<string, string>();
  for (const [at, parameter] of parameters.entries()) {
    const { parameter_name: name } = parameter;
    if (isNamed !== (name !== undefined)) {
      const expected = isNamed ? 'Parameter name is missing or empty' : 'Parameter name is unknown';
      return refuse(132012, `${where}: ${expected}`);
    }
    values.set(name ?? String(at + 1), shownValue(parameter));
  }
  const missing = variables.find((variable) => !values.has(variable));
  if (missing !== undefined) {
    return refuse(132012, `${where}: Parameter name ${missing} is missing`);
  }
  const value = rendered(text, values);
  const tooLong = countCharacters(value) > most;
  return tooLong ? refuse(132005, `${where}: the text is longer than ${most}`) : { value };
}

function shownValue(parameter: TextParameter): string {
  switch (parameter.type) {
    case 'text':
      return parameter.text;
    case 'currency':
      return parameter.currency.fallback_value;
    case 'date_time':
      return parameter.date_time.fallback_value;
  }
}

function counted(where: string, parameters: readonly unknown[], expected: number) {
  if (parameters.length === expected) return null;
  const details =
    `${where}: number of localizable_params (${parameters.length}) does not match ` +
    `the expected number of params (${expected})`;
  return refuse(132000, details);
}

/** The `sub_type` of each kind of button that takes a parameter. */
const SUB_TYPES: Readonly<Record<string, ButtonInput['sub_type']>> = {
  QUICK_REPLY: 'quick_reply',
  URL: 'url',
  COPY_CODE: 'copy_code',
  FLOW: 'flow',
};

function judgeButtons(
  template: Template,
  { components }: TemplateInput,
): Judged<readonly ShownTemplateButton[]> {
  const buttons = buttonsOf(template.components);
  const given = new Map<number, ButtonInput>();
  for (const each of components) if (each.type === 'button') given.set(each.index, each);
  for (const [index, { sub_type: subType }] of given) {
    const button = buttons[index];
    if (button === undefined)
      return refuse(132000, `buttons: there is no button at index ${index}`);
    if (SUB_TYPES[button.type] !== subType) {
      return refuse(132012, `buttons: Button at index ${index} is not of type ${subType}`);
    }
  }
  const value: ShownTemplateButton[] = [];
  for (const [index, button] of buttons.entries()) {
    const judged = judgeButton(button, given.get(index), index);
    if ('refusal' in judged) return judged;
    value.push(judged.value);
  }
  return { value };
}

function judgeButton(
  button: TemplateButton,
  input: ButtonInput | undefined,
  index: number,
): Judged<ShownTemplateButton> {
  const { type } = button;
  const text = button.text ?? 'Copy code';
  const [parameter] = input?.parameters ?? [];
  const missing = `buttons: Button at index ${index} of type ${type} requires a parameter`;
  if (type === 'URL') {
    const hasVariable = variablesIn(button.url).length > 0;
    if (hasVariable && parameter?.type !== 'text') return refuse(131008, missing);
    if (!hasVariable && parameter !== undefined) {
      return refuse(132000, `buttons: Button at index ${index} takes no parameter`);
    }
    const suffix = parameter?.type === 'text' ? parameter.text : '';
    return { value: { type, text, url: button.url.replace(/\{\{\s*\w+\s*\}\}/, suffix) } };
  }
  if (type === 'COPY_CODE') {
    if (parameter?.type !== 'coupon_code') return refuse(131008, missing);
    return { value: { type, text, payload: parameter.coupon_code } };
  }
  if (type !== 'QUICK_REPLY') return { value: { type, text } };
  const payload = parameter?.type === 'payload' ? parameter.payload : text;
  return { value: { type, text, payload } };
}

function refuse(code: number, details: string): { readonly refusal: TemplateRefusal } {
  return { refusal: { code, details } };
}
