/** How the command line shows values: one JSON value, or a table for people. */

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.join(',');
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A line break in a name would break the table.
  return text.replace(/\s+/g, ' ');
}

/** Columns are the properties of the rows, in the order in which they first come up. */
function renderTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  if (rows.length === 0) return '(none)\n';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) =>
    Math.max(...lines.map((line) => [...(line[column] ?? '')].length)),
  );
  return lines
    .map((line) =>
      line
        .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - [...text].length))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A list's rows, or one thing's properties one below the other. */
export function render(value: Readonly<Record<string, unknown>>): string {
  const { data } = value;
  if (Array.isArray(data)) return renderTable(data);
  const entries = Object.entries(value).map(([name, own]) => [name, cell(own)] as const);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}
