/** Text as HTML. */

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A sentence, with its backquoted words as code. */
export function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** A word for an `id` and its links: `Webhook de entrada` → `webhook-de-entrada`. */
export function anchorOf(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
}

export interface TableHead {
  /** For those who hear the page. */
  readonly label: string;
  readonly titles: readonly string[];
  readonly kind?: 'fields' | 'statuses';
}

/** A table with a heading for each column, and the first cell of a row as the row's. */
export function table({ label, titles, kind }: TableHead, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const head = titles.map((title) => `<th scope="col">${escaped(title)}</th>`).join('');
  const body = rows.map(
    ([first = '', ...cells]) =>
      `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  );
  return (
    `<table aria-label="${escaped(label)}"${kind ? ` class="${kind}"` : ''}><thead><tr>${head}</tr></thead>` +
    `<tbody>${body.join('')}</tbody></table>`
  );
}

/** HTML of each cell. */
export type Row = readonly string[];
