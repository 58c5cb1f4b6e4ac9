/** Row of an organization's last events, as pages show them while they happen. */
import * as v from 'valibot';
import { idText, requestObject } from '../../../shared/api/fields.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';

const listRecentEvents = apiRoute({
  method: 'GET',
  path: '/panel/api/recent-events',
  operationId: 'listRecentEvents',
  summary: 'Os últimos eventos da organização, os mais novos primeiro.',
  tag: 'Eventos',
  query: requestObject({ cursor: v.exactOptional(idText) }),
  answers: { 200: { description: 'A resposta.', schema: v.looseObject({}) } },
  plan({ caller: { orgId: key }, ids, query: { cursor = null } }) {
    const command = { id: ids.fresh('cmd'), type: 'list-recent-events', cursor } as const;
    return { to: 'actor', address: { kind: 'organization', key }, command };
  },
});

export const RECENT_EVENT_ROUTES: readonly ApiRoute[] = [listRecentEvents];
