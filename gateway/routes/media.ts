/** GET /api/v1/media/{id}: the file that a message's `media.url` names (D15). */
import * as v from 'valibot';
import { apiRoute, type Route } from '../route.ts';

export const MEDIA_ROUTES: readonly Route[] = [
  apiRoute({
    method: 'GET',
    path: '/api/v1/media/{id}',
    operationId: 'getMedia',
    summary: 'O arquivo de uma mensagem, em seu próprio tipo de conteúdo.',
    tag: 'Mensagens',
    isTool: false,
    answers: {
      200: { description: 'Os bytes do arquivo.', schema: v.string() },
    },
    refusals: [403, 404],
    plan({ caller, params }) {
      const { orgId, channelId: channelScope } = caller;
      return { to: 'media', payload: { orgId, mediaId: params.id ?? '', channelScope } };
    },
  }),
];
