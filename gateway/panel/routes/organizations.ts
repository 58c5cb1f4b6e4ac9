/** The row of the organizations, of which the operator chooses one to look at. */
import { requestObject } from '../../../shared/api/fields.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import { bodyOfSuccess } from '../../../shared/wire/answer.ts';
import { jsonReply } from '../../http/respond.ts';
import { type SessionRoute, sessionRoute } from '../panel.ts';

const listOrganizations = sessionRoute({
  method: 'GET',
  path: '/panel/api/organizations',
  operationId: 'listOrganizations',
  body: requestObject({}),
  async answer({ gateway }, { requestId }) {
    const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
    const answer = await gateway.bus.query('organizations', {}, { deadline, requestId });
    return jsonReply(200, { data: bodyOfSuccess(answer, 'organizations were not listed') });
  },
});

export const ORGANIZATION_ROUTES: readonly SessionRoute[] = [listOrganizations];
