/** Values of a template's buttons: checked, and arranged as the network takes them. */

import { atMostChars, SENTENCES } from '../../../shared/api/sentences.ts';
import {
  missingButton,
  TEMPLATE_SENTENCES,
  unknownButton,
} from '../../../shared/api/template-sentences.ts';
import type { Issue } from '../../../shared/failures.ts';
import type { TemplateButton, TemplateButtonValue } from '../../../shared/message-content.ts';
import type { TemplateForm, TemplateFormButton } from '../../../shared/template-form.ts';
import {
  TEMPLATE_CODE_MAX_CHARS,
  TEMPLATE_URL_VALUE_MAX_CHARS,
} from '../../../shared/template-limits.ts';
import { charsOf, parameterProblem } from './parameter-text.ts';
import { mustFill } from './parameters.ts';

const MAX_CHARS = {
  url: TEMPLATE_URL_VALUE_MAX_CHARS,
  copy_code: TEMPLATE_CODE_MAX_CHARS,
} as const;

interface Filled {
  readonly form: TemplateForm;
  readonly given: readonly TemplateButtonValue[];
  /** Values of the body, by the names of its variables. */
  readonly body: ReadonlyMap<string, string>;
}

function codeOf({ form, body }: Filled): string | null {
  const [first] = form.variables;
  return form.oneTimeCode && first ? (body.get(first.name) ?? null) : null;
}

function valueProblem(filled: Filled, { fills }: TemplateFormButton, value: string): string | null {
  if (fills === 'quick_reply') return value === '' ? SENTENCES.empty : null;
  if (fills === null) return TEMPLATE_SENTENCES.fixedButton;
  const maxChars = MAX_CHARS[fills];
  if (charsOf(value) > maxChars) return atMostChars(maxChars);
  const code = codeOf(filled);
  if (fills === 'url' && code !== null && value !== code) return TEMPLATE_SENTENCES.otherCode;
  return parameterProblem(value);
}

function issueOf(filled: Filled, position: number): readonly Issue[] {
  const { form, given } = filled;
  const each = given[position];
  if (!each) return [];
  const button = form.buttons[each.index];
  const at = (field: string, message: string): readonly Issue[] => [
    { path: `buttons.${position}.${field}`, message },
  ];
  if (!button) return at('index', unknownButton(form.buttons.length));
  if (button.fills === null) return at('index', TEMPLATE_SENTENCES.fixedButton);
  const isFirst = given.findIndex(({ index }) => index === each.index) === position;
  if (!isFirst) return at('index', TEMPLATE_SENTENCES.repeatedButton);
  const problem = valueProblem(filled, button, each.value);
  return problem === null ? [] : at('value', problem);
}

/** Problems of the values that are given, and of those that are missing. */
export function buttonIssues(filled: Filled): readonly Issue[] {
  const { form, given } = filled;
  const missing = form.buttons.flatMap((button, index) => {
    if (!mustFill(button, form) || given.some((each) => each.index === index)) return [];
    return [{ path: 'buttons', message: missingButton(index, button.title) }];
  });
  return [...given.flatMap((_, position) => issueOf(filled, position)), ...missing];
}

/** The buttons of a valid message, in the template's order. */
export function fillButtons(filled: Filled): readonly TemplateButton[] {
  const code = codeOf(filled);
  return filled.form.buttons.flatMap(({ fills }, index) => {
    const own = filled.given.find((each) => each.index === index)?.value;
    const value = own ?? (fills === 'url' ? code : null);
    return fills === null || value === null ? [] : [{ index, type: fills, value }];
  });
}
