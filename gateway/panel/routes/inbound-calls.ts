/** Row of the last calls of a channel's inbound webhook. */
import * as v from 'valibot';
import { idText, requestObject } from '../../../shared/api/fields.ts';
import { failure } from '../../../shared/failures.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';

const listInboundCalls = apiRoute({
  method: 'GET',
  path: '/panel/api/inbound-calls',
  operationId: 'listInboundCalls',
  summary: 'As últimas chamadas do webhook de entrada de um canal.',
  tag: 'Webhook de entrada',
  query: requestObject({ channelId: idText }),
  answers: { 200: { description: 'A resposta.', schema: v.looseObject({}) } },
  plan({ caller: { channels, orgId }, ids, query: { channelId: key } }) {
    if (!channels.some(({ id }) => id === key)) {
      return { to: 'caller', refusal: failure('channel_not_found') };
    }
    const command = { id: ids.fresh('cmd'), type: 'list-inbound-calls', orgId } as const;
    return { to: 'actor', address: { kind: 'channel', key }, command };
  },
});

export const INBOUND_CALL_ROUTES: readonly ApiRoute[] = [listInboundCalls];
