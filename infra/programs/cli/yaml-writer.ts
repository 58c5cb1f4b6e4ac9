/** YAML as `recado export` prints it. */
import { Document, visit } from 'yaml';
import { TABLE_MAX_COLUMNS } from './print.ts';
import { isObeyed, visible } from './visible.ts';

export function writeYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    // Only double quotes know the escapes that characters for terminals are written as.
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string' && isObeyed(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return visible(document.toString({ lineWidth: TABLE_MAX_COLUMNS }));
}
