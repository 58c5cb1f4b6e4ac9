/** Variables of a template's text: `{{1}}` by position, `{{nome}}` by name. */

const VARIABLE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/** Names of a text's variables, numbers in their order. */
export function variablesOf(template: string): readonly string[] {
  const names = [...new Set(Array.from(template.matchAll(VARIABLE), ([, name = '']) => name))];
  const areNumbers = names.every((name) => /^\d+$/.test(name));
  return areNumbers ? names.toSorted((left, right) => Number(left) - Number(right)) : names;
}

/** The text with its variables filled; a value is never searched for variables itself. */
export function fillVariables(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(VARIABLE, (written, name: string) => values.get(name) ?? written);
}
