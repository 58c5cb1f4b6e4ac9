/** People in the panel: every group of tests on one real service. */
import { after, before } from 'node:test';
import { startPanel, stopPanel } from './people-fixture.ts';
import './sign-in.tests.ts';
import './roles.tests.ts';
import './team.tests.ts';
import './operator-audit.tests.ts';
import './conversations.tests.ts';
import './files.tests.ts';
import './live.tests.ts';
import './ended-streams.tests.ts';
import './crm.tests.ts';
import './integrations.tests.ts';
import './recent-events.tests.ts';
import './flows.tests.ts';
import './operation.tests.ts';

before(startPanel);
after(stopPanel);
