/** Calls on one message, which find its conversation by the message's id (D280). */
import { MessageAnswer, NoBody } from '../../shared/api/message.ts';
import { SENTENCES } from '../../shared/api/sentences.ts';
import { failure, invalid } from '../../shared/failures.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { CancelScheduled, ReadMessage } from '../../shared/wire/commands.ts';
import { apiRoute, isOtherChannel, type Route, sequence } from '../route.ts';
import { CANCELLED_MESSAGE, INBOUND_MESSAGE } from './examples.ts';

const readMessage = apiRoute({
  method: 'POST',
  path: '/api/v1/messages/{id}/read',
  operationId: 'readMessage',
  summary: 'Marca uma mensagem do contato, e tudo antes dela, como lida.',
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
  plan({ caller, ids, params }) {
    const asked = { orgId: caller.orgId, messageId: params.id ?? '' };
    const command: ReadMessage = { id: ids.fresh('cmd'), type: 'read-message', ...asked };
    return sequence(
      { to: 'query', resource: 'message-place', payload: asked } as const,
      (place) => {
        if (place.status !== 200) return place;
        const { conversationId: key, channelId, direction } = bodyOf(place);
        if (isOtherChannel(caller, channelId)) {
          return { to: 'caller', refusal: failure('other_channel') };
        }
        if (direction !== 'in') {
          return { to: 'caller', refusal: invalid({ path: 'id', message: SENTENCES.onlyInbound }) };
        }
        const address = { kind: 'conversation', key } as const;
        return sequence({ to: 'actor', address, command } as const, (read) =>
          read.status === 200 ? { to: 'query', resource: 'message', payload: asked } : read,
        );
      },
    );
  },
});

const cancelMessage = apiRoute({
  method: 'POST',
  path: '/api/v1/messages/{id}/cancel',
  operationId: 'cancelMessage',
  summary: 'Cancela uma mensagem agendada que ainda não está a caminho.',
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
  plan({ caller, ids, params }) {
    const asked = { orgId: caller.orgId, messageId: params.id ?? '' };
    const type = 'cancel-scheduled';
    const channelScope = caller.channelId;
    const command: CancelScheduled = { id: ids.fresh('cmd'), type, ...asked, channelScope };
    return sequence(
      { to: 'query', resource: 'message-place', payload: asked } as const,
      (place) => {
        if (place.status !== 200) return place;
        const { conversationId: key, channelId } = bodyOf(place);
        if (isOtherChannel(caller, channelId)) {
          return { to: 'caller', refusal: failure('other_channel') };
        }
        const address = { kind: 'conversation', key } as const;
        return sequence({ to: 'actor', address, command } as const, (cancelled) =>
          cancelled.status === 200
            ? { to: 'query', resource: 'message', payload: asked }
            : cancelled,
        );
      },
    );
  },
});

export const MESSAGE_ACTION_ROUTES: readonly Route[] = [readMessage, cancelMessage];
