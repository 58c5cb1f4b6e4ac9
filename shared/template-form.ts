/**
 * A template's components in the service's form: its texts, their variables with the network's
 * examples, and its buttons. The network's own form has optional parts throughout, so an unknown
 * part is read as absent. A part that must be filled but cannot be is named (`unfillable`).
 */
import * as v from 'valibot';
import type { NetworkTemplate } from './ports/network.ts';
import { variablesOf } from './text/template-variables.ts';

export interface TemplateVariable {
  /** A number, or the name that the template gives it. */
  readonly name: string;
  readonly example: string | null;
}

export const FILE_HEADERS = ['image', 'video', 'document'] as const;
export type FileHeader = (typeof FILE_HEADERS)[number];

export type TemplateHeader =
  | { readonly format: 'text'; readonly text: string; readonly variable: TemplateVariable | null }
  | { readonly format: FileHeader; readonly example: string | null }
  | { readonly format: 'location' };

/** `fills` is null where nothing can be given for the button. */
export interface TemplateFormButton {
  readonly title: string;
  readonly fills: 'url' | 'quick_reply' | 'copy_code' | null;
  /** The text around the value, where a URL has one. */
  readonly url: string | null;
  readonly example: string | null;
}

export interface TemplateForm {
  readonly header: TemplateHeader | null;
  readonly body: string;
  readonly variables: readonly TemplateVariable[];
  readonly footer: string | null;
  readonly buttons: readonly TemplateFormButton[];
  /** A one-time code: the button copies the code of the body. */
  readonly oneTimeCode: boolean;
  /** The network's word for the part that the service cannot fill. */
  readonly unfillable: string | null;
}

const word = v.fallback(v.pipe(v.string(), v.toUpperCase()), '');
const text = v.fallback(v.string(), '');
const texts = v.fallback(v.array(text), []);
const namedExamples = v.fallback(
  v.array(
    v.fallback(v.object({ param_name: text, example: text }), { param_name: '', example: '' }),
  ),
  [],
);

const Example = v.fallback(
  v.object({
    header_text: texts,
    header_text_named_params: namedExamples,
    header_handle: texts,
    body_text: v.fallback(v.array(texts), []),
    body_text_named_params: namedExamples,
  }),
  {
    header_text: [],
    header_text_named_params: [],
    header_handle: [],
    body_text: [],
    body_text_named_params: [],
  },
);

const Component = v.object({
  type: word,
  format: word,
  text,
  example: Example,
  buttons: v.fallback(
    v.array(
      v.fallback(
        v.object({ type: word, text, url: text, example: v.fallback(v.unknown(), null) }),
        {
          type: '',
          text: '',
          url: '',
          example: null,
        },
      ),
    ),
    [],
  ),
});
type Component = v.InferOutput<typeof Component>;
type Button = Component['buttons'][number];
type NamedExamples = readonly { readonly param_name: string; readonly example: string }[];

const FILLED_COMPONENTS: readonly string[] = [
  'HEADER',
  'BODY',
  'FOOTER',
  'BUTTONS',
  'CALL_PERMISSION_REQUEST',
];
const FIXED_BUTTONS: readonly string[] = ['PHONE_NUMBER', 'VOICE_CALL'];

function variablesIn(
  template: string,
  positional: readonly string[],
  named: NamedExamples,
): readonly TemplateVariable[] {
  return variablesOf(template).map((name, position) => {
    const own = named.find((each) => each.param_name === name);
    return { name, example: own?.example ?? positional[position] ?? null };
  });
}

function isFileHeader(format: string): format is FileHeader {
  return FILE_HEADERS.some((each) => each === format);
}

function readHeader({ format, text: written, example }: Component): TemplateHeader | null {
  const named = format.toLowerCase();
  if (isFileHeader(named)) return { format: named, example: example.header_handle[0] ?? null };
  if (format === 'LOCATION') return { format: 'location' };
  if (format !== 'TEXT') return null;
  const [variable = null] = variablesIn(
    written,
    example.header_text,
    example.header_text_named_params,
  );
  return { format: 'text', text: written, variable };
}

function exampleOf({ example }: Button): string | null {
  const first: unknown = Array.isArray(example) ? example[0] : example;
  return typeof first === 'string' ? first : null;
}

function readButton(button: Button): TemplateFormButton {
  const common = { title: button.text, example: exampleOf(button) };
  const takesValue = variablesOf(button.url).length > 0;
  if (button.type === 'URL' && takesValue) return { ...common, fills: 'url', url: button.url };
  if (button.type === 'OTP') return { ...common, fills: 'url', url: button.url || null };
  if (button.type === 'QUICK_REPLY') return { ...common, fills: 'quick_reply', url: null };
  if (button.type === 'COPY_CODE') return { ...common, fills: 'copy_code', url: null };
  return { ...common, fills: null, url: null };
}

function unfillableButton({ type }: Button): boolean {
  const known = ['URL', 'OTP', 'QUICK_REPLY', 'COPY_CODE', ...FIXED_BUTTONS];
  return !known.includes(type);
}

function unfillableIn(components: readonly Component[]): string | null {
  const component = components.find(({ type }) => !FILLED_COMPONENTS.includes(type));
  if (component) return component.type || 'COMPONENT';
  const header = components.find(({ type }) => type === 'HEADER');
  const read = header && readHeader(header);
  if (header && (!read || read.format === 'location')) return `HEADER ${header.format}`;
  const button = components.flatMap(({ buttons }) => buttons).find(unfillableButton);
  return button ? `BUTTON ${button.type}` : null;
}

/** Reads a template's components. Total: a malformed component has empty parts. */
export function readTemplateForm(
  template: Pick<NetworkTemplate, 'components' | 'category'>,
): TemplateForm {
  const components = template.components.map((each) => v.parse(Component, each));
  const of = (type: string) => components.find((component) => component.type === type);
  const header = of('HEADER');
  const body = of('BODY');
  const variables = variablesIn(
    body?.text ?? '',
    body?.example.body_text[0] ?? [],
    body?.example.body_text_named_params ?? [],
  );
  return {
    header: header ? readHeader(header) : null,
    body: body?.text ?? '',
    variables,
    footer: of('FOOTER')?.text || null,
    buttons: components.flatMap(({ buttons }) => buttons.map(readButton)),
    oneTimeCode: template.category === 'AUTHENTICATION' && variables.length > 0,
    unfillable: unfillableIn(components),
  };
}
