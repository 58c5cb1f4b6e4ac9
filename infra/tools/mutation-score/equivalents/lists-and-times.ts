/** Equivalent mutations of lists, times and phones. */
import { type Equivalent, named } from './equivalent.ts';

const calendar = named('shared/time/calendar.ts');
const localTime = named('shared/time/local-time.ts');
const phone = named('shared/text/phone.ts');
const page = named('actors/queries/lists/page.ts');

export const OF_LISTS_AND_TIMES: readonly Equivalent[] = [
  ...calendar(
    'The pattern before has found all three numbers.',
    "const [year = 1, month = 0, day = 0] = text.split('-').map(Number);",
    "const [year = 0, month = 1, day = 0] = text.split('-').map(Number);",
    "const [year = 0, month = 0, day = 1] = text.split('-').map(Number);",
  ),
  ...calendar(
    '`compatible` is the default of Temporal.',
    'return local.toZonedDateTime(timeZone, {}).epochMilliseconds;',
  ),
  ...localTime(
    '`compatible` is the default of Temporal.',
    'const at = local.toZonedDateTime(timeZone, {}).epochMilliseconds;',
  ),
  ...localTime(
    'The time of the seventh day from now is always to come.',
    'const DAYS_SEARCHED = 9;',
    'for (let days = 0; days < DAYS_SEARCHED; days++) {',
  ),
  ...phone(
    'A canonical mobile is read as itself by the long way, too: this one is the short way.',
    'if (false) {',
    'if (BRAZILIAN_MOBILE.test(raw)) {}',
    'if (false) return raw;',
    "if (country === '') return raw;",
  ),
  ...page(
    'In the very middle both ways cost the same.',
    'const fromEnd = total !== null && skip >= total / 2;',
  ),
  ...page(
    'Both ways give the same page: the bound is where waiting for the total pays.',
    'const DEEP = 1001;',
    'const known = skipOf(request) <= DEEP ? null : await reading;',
  ),
];
