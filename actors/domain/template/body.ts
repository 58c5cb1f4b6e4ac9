/** Values of a template's body: by position, or by the names that the template gives. */
import { atMostChars } from '../../../shared/api/sentences.ts';
import {
  missingVariables,
  namedVariables,
  TEMPLATE_SENTENCES,
  tooLong,
} from '../../../shared/api/template-sentences.ts';
import type { Issue } from '../../../shared/failures.ts';
import type { TemplateValues } from '../../../shared/message-content.ts';
import type { TemplateForm } from '../../../shared/template-form.ts';
import {
  ONE_TIME_CODE_MAX_CHARS,
  TEMPLATE_BODY_MAX_CHARS,
} from '../../../shared/template-limits.ts';
import { fillVariables } from '../../../shared/text/template-variables.ts';
import { charsOf, parameterProblem } from './parameter-text.ts';

type Given = TemplateValues['body'];

/** The caller's entries: the path of each, the variable that it is for, its value. */
interface Entry {
  readonly key: string;
  readonly variable: string | undefined;
  readonly value: string;
}

interface Asked {
  readonly form: TemplateForm;
  readonly named: boolean;
  readonly given: Given;
}

function isList(given: Given): given is readonly string[] {
  return Array.isArray(given);
}

function entriesOf({ form, given }: Asked): readonly Entry[] {
  if (given === undefined) return [];
  if (isList(given)) {
    return given.map((value, position) => {
      return { key: String(position), variable: form.variables[position]?.name, value };
    });
  }
  return Object.entries(given).map(([key, value]) => {
    return { key, variable: form.variables.find(({ name }) => name === key)?.name, value };
  });
}

/** Null where the values are of the template's own kind, or where it has no variables. */
function kindProblem({ form, named, given }: Asked): string | null {
  const names = form.variables.map(({ name }) => name);
  if (names.length === 0) return null;
  if (given === undefined) return missingVariables(names);
  if (named === isList(given)) return named ? namedVariables(names) : TEMPLATE_SENTENCES.positional;
  return null;
}

function missingIn({ form, given }: Asked, entries: readonly Entry[]): readonly Issue[] {
  return form.variables.flatMap(({ name }, position) => {
    if (entries.some(({ variable }) => variable === name)) return [];
    const key = isList(given) ? String(position) : name;
    return [{ path: `body.${key}`, message: TEMPLATE_SENTENCES.missingVariable }];
  });
}

/** Values by the names of the template's variables. */
export function bodyValues(asked: Asked): ReadonlyMap<string, string> {
  return new Map(
    entriesOf(asked).flatMap(({ variable, value }) =>
      variable === undefined ? [] : [[variable, value] as const],
    ),
  );
}

function lengthIssues(asked: Asked): readonly Issue[] {
  const chars = charsOf(fillVariables(asked.form.body, bodyValues(asked)));
  if (chars <= TEMPLATE_BODY_MAX_CHARS) return [];
  return [{ path: 'body', message: tooLong(TEMPLATE_BODY_MAX_CHARS, chars) }];
}

function valueProblem({ oneTimeCode }: TemplateForm, value: string): string | null {
  const isTooLong = oneTimeCode && charsOf(value) > ONE_TIME_CODE_MAX_CHARS;
  return isTooLong ? atMostChars(ONE_TIME_CODE_MAX_CHARS) : parameterProblem(value);
}

/** Problems of the body's values, each at the value that has it. */
export function bodyIssues(asked: Asked): readonly Issue[] {
  const wrongKind = kindProblem(asked);
  if (wrongKind !== null) return [{ path: 'body', message: wrongKind }];
  const entries = entriesOf(asked);
  const issues = [
    ...entries.flatMap(({ key, variable, value }) => {
      const message =
        variable === undefined
          ? TEMPLATE_SENTENCES.superfluousVariable
          : valueProblem(asked.form, value);
      return message === null ? [] : [{ path: `body.${key}`, message }];
    }),
    ...missingIn(asked, entries),
  ];
  return issues.length > 0 ? issues : lengthIssues(asked);
}
