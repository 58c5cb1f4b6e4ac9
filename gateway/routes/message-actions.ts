/** Calls on one message, which find its conversation by the message's id (D280). */
import { MessageAnswer, NoBody } from '../../shared/api/message.ts';
import { SENTENCES } from '../../shared/api/sentences.ts';
import { failure, invalid } from '../../shared/failures.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { CancelMessage, ReadMessage } from '../../shared/wire/commands.ts';
import { refusalReply } from '../http/respond.ts';
import { apiRoute, isOtherChannel, type Route } from '../route.ts';
import { CANCELLED_MESSAGE, INBOUND_MESSAGE, MESSAGE_ID } from './examples.ts';

const readMessage = apiRoute({
  method: 'POST',
  path: '/api/v1/messages/{id}/read',
  pathId: { description: 'Id da mensagem.', example: MESSAGE_ID },
  operationId: 'readMessage',
  access: 'send',
  summary: 'Marca uma mensagem do contato, e tudo antes dela, como lida.',
  description:
    'A conversa deixa de contar como não lidas esta mensagem e as anteriores, e o contato vê que ' +
    'foram lidas, se a rede e o canal o permitem agora. Repetir a chamada não muda nada. O id de ' +
    'uma mensagem enviada é 422.',
  tag: 'Mensagens',
  body: NoBody,
  bodyExample: {},
  mayOmitBody: true,
  answers: {
    200: {
      description: 'A mensagem, que já não conta entre as não lidas.',
      schema: MessageAnswer,
      example: { data: INBOUND_MESSAGE },
    },
  },
  refusals: [403, 404],
  async run({ caller, ids, params, ask }) {
    const payload = { orgId: caller.orgId, messageId: params.id ?? '' };
    const command: ReadMessage = { id: ids.fresh('cmd'), type: 'read-message', ...payload };
    const place = await ask({ to: 'query', resource: 'message-place', payload });
    if (place.status !== 200) return place;
    const { conversationId: key, channelId, direction } = bodyOf(place);
    if (isOtherChannel(caller, channelId)) return refusalReply(failure('other_channel'));
    if (direction !== 'in') {
      return refusalReply(invalid({ path: 'id', message: SENTENCES.onlyInbound }));
    }
    const read = await ask({ to: 'actor', address: { kind: 'conversation', key }, command });
    return read.status === 200 ? ask({ to: 'query', resource: 'message', payload }) : read;
  },
});

const cancelMessage = apiRoute({
  method: 'POST',
  path: '/api/v1/messages/{id}/cancel',
  pathId: { description: 'Id da mensagem.', example: MESSAGE_ID },
  operationId: 'cancelMessage',
  access: 'send',
  summary: 'Cancela uma mensagem agendada, ou `bulk` na fila, que ainda não está a caminho.',
  description:
    'Vale para uma mensagem com `status: scheduled`, e para uma `priority: bulk` que espera na fila. ' +
    'A caminho, ela é 409; cancelada, nunca sai. Cancelar de novo não muda nada. Nenhum evento é ' +
    'emitido.',
  tag: 'Mensagens',
  body: NoBody,
  bodyExample: {},
  mayOmitBody: true,
  answers: {
    200: {
      description: 'A mensagem, cancelada. Repetir a chamada não muda nada.',
      schema: MessageAnswer,
      example: { data: CANCELLED_MESSAGE },
    },
  },
  refusals: [403, 404, 409],
  async run({ caller, ids, params, ask }) {
    const payload = { orgId: caller.orgId, messageId: params.id ?? '' };
    const type = 'cancel-message';
    const channelScope = caller.channelId;
    const command: CancelMessage = { id: ids.fresh('cmd'), type, ...payload, channelScope };
    const place = await ask({ to: 'query', resource: 'message-place', payload });
    if (place.status !== 200) return place;
    const { conversationId: key, channelId } = bodyOf(place);
    if (isOtherChannel(caller, channelId)) return refusalReply(failure('other_channel'));
    const cancelled = await ask({ to: 'actor', address: { kind: 'conversation', key }, command });
    if (cancelled.status !== 200) return cancelled;
    return ask({ to: 'query', resource: 'message', payload });
  },
});

export const MESSAGE_ACTION_ROUTES: readonly Route[] = [readMessage, cancelMessage];
