/**
 * Code in several languages, one of which is shown: a choice that needs no script. On paper all of
 * them are shown, each under its name.
 */
import type { Code } from './call-examples.ts';
import { escaped } from './html.ts';

/** @param id of the page's own, once on it */
export function renderTabs(id: string, codes: readonly Code[]): string {
  if (codes.length === 0) return '';
  const choices = codes.map(({ language }, index) => {
    const value = language.toLowerCase();
    const [own, checked] = [escaped(`${id}-${value}`), index === 0 ? ' checked' : ''];
    const name = escaped(`${id}-linguagem`);
    return (
      `<input type="radio" class="pick" name="${name}" id="${own}" value="${value}"${checked}>` +
      `<label for="${own}">${language}</label>`
    );
  });
  const texts = codes.map(
    ({ language, text }) =>
      `<pre class="in-${language.toLowerCase()}" data-name="${language}">` +
      `<code>${escaped(text)}</code></pre>`,
  );
  return (
    '<fieldset class="tabs"><legend class="spoken">Linguagem do exemplo</legend>' +
    `${choices.join('')}${texts.join('')}</fieldset>`
  );
}

/** An answer or a payload. @param title HTML */
export function renderJson(title: string, value: unknown): string {
  if (value === undefined) return '';
  const text = escaped(JSON.stringify(value, null, 2));
  return `<figure class="json"><figcaption>${title}</figcaption><pre><code>${text}</code></pre></figure>`;
}
