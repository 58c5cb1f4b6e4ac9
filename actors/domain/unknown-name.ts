/** Error text for an unknown name: the known names, and the nearest one. */
import { nearest } from '../../shared/provisioning/nearest.ts';

const SHOWN = 12;

/** `names no stage "x"; there are: a, b; did you mean "a"?` */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const shown = known.slice(0, SHOWN).join(', ');
  const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : '';
  const others = known.length === 0 ? 'there are none' : `there are: ${shown}${more}`;
  const meant = nearest(name, known);
  const question = meant === null ? '' : `; did you mean "${meant}"?`;
  return `names no ${what} "${name}"; ${others}${question}`;
}
