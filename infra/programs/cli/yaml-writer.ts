/** YAML as `recado export` prints it. */
import { stringify } from 'yaml';
import { TABLE_MAX_COLUMNS } from './print.ts';

export function writeYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: TABLE_MAX_COLUMNS });
}
