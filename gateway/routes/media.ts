/** GET /api/v1/media/{id}: the file that a message's `media.url` names (D15). */
import * as v from 'valibot';
import { ANY_TYPE, apiRoute, type Route } from '../route.ts';
import { MEDIA_ID } from './examples.ts';

export const MEDIA_ROUTES: readonly Route[] = [
  apiRoute({
    method: 'GET',
    path: '/api/v1/media/{id}',
    pathId: { description: 'Id do arquivo.', example: MEDIA_ID },
    operationId: 'getMedia',
    summary: 'O arquivo de uma mensagem, em seu próprio tipo de conteúdo.',
    description:
      'É o endereço em `media.url`. Uma chave de canal alcança apenas os do seu canal. O arquivo de ' +
      'um contato é citado por seu evento antes de chegar da rede: até lá a resposta é 409 com ' +
      '`Retry-After`, e 404 se a rede já não o tem.',
    tag: 'Mensagens',
    isTool: false,
    answers: {
      200: { description: 'Os bytes do arquivo.', schema: v.string(), contentType: ANY_TYPE },
    },
    refusals: [403, 404, 409],
    plan({ caller, params }) {
      const { orgId, channelId: channelScope } = caller;
      return { to: 'media', payload: { orgId, mediaId: params.id ?? '', channelScope } };
    },
  }),
];
