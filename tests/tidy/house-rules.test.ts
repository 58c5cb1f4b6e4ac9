/** The house rules in one process: the project is read and parsed once. */
import './citations.tests.ts';
import './comparisons.tests.ts';
import './docs.tests.ts';
import './doors.tests.ts';
import './events-page.tests.ts';
import './imports.tests.ts';
import './log-events.tests.ts';
import './pictures.tests.ts';
import './prose.tests.ts';
import './purity.tests.ts';
import './shape.tests.ts';
import './version.tests.ts';
import './words.tests.ts';
