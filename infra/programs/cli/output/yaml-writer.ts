/** YAML as `recado export` prints it. */
import { Document, visit } from 'yaml';
import { TABLE_MAX_COLUMNS } from './print.ts';
import { isObeyed, visible } from './visible.ts';

/** In a block the library's writer takes its blanks for indentation: ` \n` would come back as `\n`. */
const BLANK_LINE = /^[ \t]+$/m;

export function writeYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    // Only double quotes know the escapes that characters for terminals are written as.
    Scalar(_key, scalar) {
      const { value } = scalar;
      if (typeof value !== 'string') return;
      if (isObeyed(value) || BLANK_LINE.test(value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return visible(document.toString({ lineWidth: TABLE_MAX_COLUMNS }));
}
