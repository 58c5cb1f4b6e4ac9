/** The values that a send of a template gives, derived from its components. */
import type { TemplateParameters } from '../../../shared/api/template.ts';
import type { NetworkTemplate } from '../../../shared/ports/network.ts';
import {
  readTemplateForm,
  type TemplateForm,
  type TemplateFormButton,
} from '../../../shared/template-form.ts';

function shown(example: string | null): { readonly example?: string } {
  return example === null ? {} : { example };
}

function headerParameter({ header }: TemplateForm): TemplateParameters['header'] {
  if (header === null) return null;
  if (header.format === 'location') return { type: header.format };
  if (header.format !== 'text') return { type: header.format, ...shown(header.example) };
  const { variable } = header;
  return variable && { type: 'text', name: variable.name, ...shown(variable.example) };
}

/** Whether a send must give the button's value: a one-time code is that of the body. */
export function mustFill({ fills }: TemplateFormButton, { oneTimeCode }: TemplateForm): boolean {
  return fills === 'copy_code' || (fills === 'url' && !oneTimeCode);
}

function buttonParameters(form: TemplateForm): TemplateParameters['buttons'] {
  return form.buttons.flatMap((button, index) => {
    const { fills, title, example } = button;
    if (fills === null) return [];
    return [{ index, type: fills, title, required: mustFill(button, form), ...shown(example) }];
  });
}

/** Everything that can be given for a template, with the network's examples. */
export function parametersOf(
  template: Pick<NetworkTemplate, 'components' | 'category'>,
): TemplateParameters {
  const form = readTemplateForm(template);
  return {
    header: headerParameter(form),
    body: form.variables.map(({ name, example }) => ({ name, ...shown(example) })),
    buttons: buttonParameters(form),
  };
}
