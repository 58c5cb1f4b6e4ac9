/** The house rules in one process: the project is read and parsed once. */
import './citations.tests.ts';
import './comparisons.tests.ts';
import './docs.tests.ts';
import './doors.tests.ts';
import './events-page.tests.ts';
import './imports.tests.ts';
import './pictures.tests.ts';
import './purity.tests.ts';
import './version.tests.ts';
