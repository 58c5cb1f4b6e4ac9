/** GET /api/v1/channels (C4.4). */

import { ListChannelsAnswer } from '../../shared/api/channel.ts';
import type { ListChannels } from '../../shared/wire/queries.ts';
import { apiRoute, type Route } from '../route.ts';
import { CHANNEL } from './examples.ts';

export const CHANNEL_ROUTES: readonly Route[] = [
  apiRoute({
    method: 'GET',
    path: '/api/v1/channels',
    operationId: 'listChannels',
    summary: 'Lista os canais em ordem alfabética; uma chave de canal vê apenas o seu.',
    description: '`reason` traz o motivo, em português, quando o canal não pode enviar agora.',
    tag: 'Canais',
    answers: {
      200: { description: 'Os canais.', schema: ListChannelsAnswer, example: { data: [CHANNEL] } },
    },
    plan({ caller }) {
      const payload: ListChannels = { orgId: caller.orgId, channelId: caller.channelId };
      return { to: 'query', resource: 'channels', payload };
    },
  }),
];
