/**
 * Drafts and edits of templates as the administration takes them, and its refusals: pure.
 *
 * Sources: Meta, "Template components", "Manage templates", "Authentication templates" (2026);
 * subcodes of refusals after help.chakrahq.com, "WhatsApp API template errors", and after
 * production reports of 2388024. The simulator refuses every unfit draft with code 100.
 */
import * as v from 'valibot';
import { parseRecord } from '../../../../adapters/network/webhook-body.ts';
import { graphError, type Reply } from '../schema/errors.ts';
import { someText } from '../schema/shape.ts';
import {
  buttonsOf,
  componentOf,
  componentsSchema,
  type TemplateComponent,
  variablesIn,
} from './components.ts';
import {
  PARAMETER_FORMATS,
  type ParameterFormat,
  TEMPLATE_CATEGORIES,
  type TemplateDraft,
} from './types.ts';

const INVALID = 100;

export const nameSchema = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9_]{1,512}$/, 'must be small letters, digits and underscores, up to 512.'),
);
export const languageSchema = v.pipe(
  v.string(),
  v.regex(/^[a-z]{2,3}(_[A-Z]{2,3})?$/, 'must be a code of a supported language.'),
);

const createSchema = v.strictObject({
  name: nameSchema,
  language: languageSchema,
  category: v.picklist(TEMPLATE_CATEGORIES),
  components: componentsSchema,
  parameter_format: v.optional(v.pipe(v.string(), v.toUpperCase(), v.picklist(PARAMETER_FORMATS))),
  allow_category_change: v.optional(v.boolean()),
  message_send_ttl_seconds: v.optional(v.number()),
});

const editSchema = v.strictObject({
  category: v.optional(v.picklist(TEMPLATE_CATEGORIES)),
  components: v.optional(componentsSchema),
  parameter_format: v.optional(v.pipe(v.string(), v.toUpperCase(), v.picklist(PARAMETER_FORMATS))),
  name: v.optional(someText),
  language: v.optional(someText),
  message_send_ttl_seconds: v.optional(v.number()),
});

type Read<T> = { readonly reply: Reply } | { readonly value: T };

/** A new template, which awaits its review. */
export function readDraft(json: string): Read<TemplateDraft> {
  const read = readAs(createSchema, json);
  if ('reply' in read) return read;
  const { name, language, category, components, parameter_format: format } = read.value;
  const parameterFormat = format ?? 'POSITIONAL';
  const problem = exampleProblem(components, parameterFormat);
  if (problem !== null) return { reply: graphError(INVALID, problem) };
  const value: TemplateDraft = {
    name,
    language,
    category,
    parameterFormat,
    components: completed(components),
    status: 'PENDING',
    quality: 'UNKNOWN',
    rejectedReason: 'NONE',
  };
  return { value };
}

export type TemplateEdit = Partial<Pick<TemplateDraft, 'category' | 'components'>>;

export function readEdit(json: string, current: TemplateDraft): Read<TemplateEdit> {
  const read = readAs(editSchema, json);
  if ('reply' in read) return read;
  const { category, components } = read.value;
  if (components === undefined) return { value: category === undefined ? {} : { category } };
  const problem = exampleProblem(components, current.parameterFormat);
  if (problem !== null) return { reply: graphError(INVALID, problem) };
  return {
    value: { components: completed(components), ...(category === undefined ? {} : { category }) },
  };
}

function readAs<S extends v.GenericSchema>(schema: S, json: string): Read<v.InferOutput<S>> {
  const body = parseRecord(json);
  if (body === null) return { reply: graphError(INVALID, 'The body is not a JSON object.') };
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return { value: parsed.output };
  const [issue] = parsed.issues;
  const details = `${v.getDotPath(issue) ?? 'body'}: ${issue.message.replace(/^#\d+ /, '')}`;
  return { reply: graphError(INVALID, details) };
}

/** Null where every variable is well named and has its example. */
export function exampleProblem(
  components: readonly TemplateComponent[],
  format: ParameterFormat,
): string | null {
  const header = componentOf(components, 'HEADER');
  const body = componentOf(components, 'BODY');
  const headerText = header?.format === 'TEXT' ? header : undefined;
  const inHeader = variablesIn(headerText?.text ?? '');
  const inBody = variablesIn(body?.text ?? '');
  if (inHeader.length > 1) return 'HEADER: a text header has at most one variable.';
  const named = format === 'NAMED';
  const headerExamples = named
    ? headerText?.example?.header_text_named_params?.map(({ param_name }) => param_name)
    : headerText?.example?.header_text;
  const bodyExamples = named
    ? body?.example?.body_text_named_params?.map(({ param_name }) => param_name)
    : body?.example?.body_text?.[0];
  return (
    partProblem({ part: 'HEADER', variables: inHeader, examples: headerExamples }, named) ??
    partProblem({ part: 'BODY', variables: inBody, examples: bodyExamples }, named) ??
    buttonProblem(components)
  );
}

interface Part {
  readonly part: string;
  readonly variables: readonly string[];
  readonly examples: readonly string[] | undefined;
}

function partProblem({ part, variables, examples = [] }: Part, named: boolean): string | null {
  const wellNamed = named
    ? variables.every((name) => /^[a-z_][a-z0-9_]*$/.test(name))
    : variables.every((name, at) => name === String(at + 1));
  if (!wellNamed) return `${part}: the variables are not named as the format says.`;
  const complete = named
    ? variables.every((name) => examples.includes(name))
    : examples.length === variables.length;
  return complete ? null : `${part}: the examples do not fit the variables.`;
}

function buttonProblem(components: readonly TemplateComponent[]): string | null {
  for (const button of buttonsOf(components)) {
    if (button.type !== 'URL') continue;
    const variables = variablesIn(button.url);
    if (variables.length > 1) return 'BUTTONS: an address has at most one variable.';
    if (variables.length === 1 && !/\{\{\s*\w+\s*\}\}$/.test(button.url)) {
      return 'BUTTONS: the variable stands at the end of the address.';
    }
    if (variables.length === 1 && button.example?.length !== 1) {
      return 'BUTTONS: an address with a variable needs an example.';
    }
  }
  return null;
}

/** The network writes the texts of authentication templates itself, and their button's address. */
function completed(components: readonly TemplateComponent[]): readonly TemplateComponent[] {
  return components.map((component) => {
    if (component.type === 'BODY' && component.text === undefined) {
      const advice = component.add_security_recommendation
        ? ' For your security, do not share this code.'
        : '';
      const text = `*{{1}}* is your verification code.${advice}`;
      return { ...component, text, example: { body_text: [['123456']] } };
    }
    if (component.type === 'FOOTER' && component.text === undefined) {
      const minutes = component.code_expiration_minutes ?? 10;
      return { ...component, text: `This code expires in ${minutes} minutes.` };
    }
    if (component.type !== 'BUTTONS') return component;
    const buttons = component.buttons.map((button) => {
      if (button.type !== 'OTP') return button;
      const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}';
      const example = [url.replace('{{1}}', '123456')];
      return { type: 'URL' as const, text: button.text ?? 'Copy code', url, example };
    });
    return { ...component, buttons };
  });
}
