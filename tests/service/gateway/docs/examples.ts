/** Code of the documentation, as its reader copies it from the page. */
import assert from 'node:assert/strict';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function unescaped(html: string): string {
  return html.replace(/&(amp|lt|gt|quot);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** By operationId, then by language. */
export function examplesOf(page: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const articles = page.matchAll(/<article [^>]*aria-labelledby="(\w+)">(.*?)<\/article>/gs);
  const entries = [...articles].map(([, operationId = '', html = '']) => {
    const codes = html.matchAll(/<pre class="in-\w+" data-name="(\w+)"><code>(.*?)<\/code>/gs);
    const byLanguage = [...codes].map(([, language = '', code = '']): [string, string] => [
      language,
      unescaped(code),
    ]);
    return [operationId, new Map(byLanguage)] as const;
  });
  return new Map(entries.filter(([, codes]) => codes.size > 0));
}

/** The code with a reader's own values in the place of those of the examples. */
export function withValues(code: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [shown, own]) => text.replaceAll(shown, own), code);
}

export function exampleOf(
  examples: ReturnType<typeof examplesOf>,
  operationId: string,
  language: string,
): string {
  const code = examples.get(operationId)?.get(language);
  return code ?? assert.fail(`${operationId} has no example in ${language}`);
}
