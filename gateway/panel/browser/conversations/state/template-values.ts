/** Values of a template while a person writes them: the request's body, and the text to be read. */
import type { Template } from '../../../../../shared/api/template.ts';
import type { TemplateValues } from '../../../../../shared/message-content.ts';

export interface WrittenValues {
  readonly header: string;
  /** By the variable's number or name. */
  readonly body: Readonly<Record<string, string>>;
  /** By the button's index. */
  readonly buttons: Readonly<Record<string, string>>;
}

export const NO_VALUES: WrittenValues = { header: '', body: {}, buttons: {} };

const FILE_HEADERS: readonly string[] = ['image', 'video', 'document'];

/** A template as the panel sends it: the file of its header has been uploaded. */
export interface TemplateDraft extends Omit<TemplateValues, 'header'> {
  readonly header?: { readonly text: string } | { readonly mediaId: string };
}

export function takesFile({ parameters: { header } }: Template): boolean {
  return header !== null && FILE_HEADERS.includes(header.type);
}

export function takesHeaderText({ parameters: { header } }: Template): boolean {
  return header?.type === 'text';
}

/** Buttons that a person fills; what a quick reply sends back has a default. */
export function buttonsToFill({ parameters: { buttons } }: Template) {
  return buttons.filter(({ required }) => required);
}

export function templateDraft(
  template: Template,
  written: WrittenValues,
  mediaId: string | null,
): TemplateDraft {
  const { name, language, parameters } = template;
  const values = parameters.body.map((each) => [each.name, written.body[each.name] ?? ''] as const);
  const named = isNamed(template);
  const buttons = buttonsToFill(template).map(({ index }) => ({
    index,
    value: written.buttons[index] ?? '',
  }));
  return {
    name,
    language,
    ...(mediaId === null ? {} : { header: { mediaId } }),
    ...(takesHeaderText(template) ? { header: { text: written.header } } : {}),
    ...(values.length === 0
      ? {}
      : { body: named ? Object.fromEntries(values) : values.map(([, value]) => value) }),
    ...(buttons.length === 0 ? {} : { buttons }),
  };
}

function isNamed({ parameters }: Template): boolean {
  return parameters.body.some(({ name }) => !/^\d+$/.test(name));
}

interface ValuePaths {
  readonly header: string;
  readonly body: readonly string[];
  readonly buttons: readonly string[];
}

/** Where a refusal names the values of the draft, in the order of their boxes. */
export function pathsOf(template: Template): ValuePaths {
  const keyed = isNamed(template);
  return {
    header: 'template.header.text',
    body: template.parameters.body.map(
      ({ name }, position) => `template.body.${keyed ? name : position}`,
    ),
    buttons: buttonsToFill(template).map((_, position) => `template.buttons.${position}.value`),
  };
}

export function pathsIn(template: Template): readonly string[] {
  const { header, body, buttons } = pathsOf(template);
  return [...(takesHeaderText(template) ? [header] : []), ...body, ...buttons];
}

/** `{{1}}` by position, `{{nome}}` by name. */
const VARIABLE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

function filled(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(VARIABLE, (written, name: string) => values.get(name) ?? written);
}

function textOf(template: Template, type: string): string {
  const component = template.components.find((each) => each.type === type);
  return typeof component?.text === 'string' ? component.text : '';
}

/** The parts that the contact reads. A variable without a value is shown as the template has it. */
export function previewOf(template: Template, written: WrittenValues): readonly string[] {
  const ofBody = Object.entries(written.body).filter(([, value]) => value !== '');
  const { header } = template.parameters;
  const ofHeader = written.header === '' ? [] : [[header?.name ?? '1', written.header] as const];
  return [
    filled(textOf(template, 'HEADER'), new Map(ofHeader)),
    filled(textOf(template, 'BODY'), new Map(ofBody)),
    textOf(template, 'FOOTER'),
  ].filter((part) => part !== '');
}
