/** GET /api/v1/events and POST /api/v1/events/ack: event streams and their acknowledgement. */
import * as v from 'valibot';
import {
  AcknowledgedEventsAnswer,
  AcknowledgeEventsBody,
  eventNames,
  StreamEventsQuery,
} from '../../shared/api/event-stream.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import { type AcknowledgeStream, streamId } from '../../shared/wire/stream-commands.ts';
import { jsonReply } from '../http/respond.ts';
import { apiRoute, type Route } from '../route.ts';
import { CHANNEL_ID, CONTACT, CONVERSATION_ID, MESSAGE } from './examples.ts';

const DELIVERY_ID = 'dlv_4Tg7Yh1Uj3Ik5Ol7Pq9Rf6';

const RECEIVED = {
  event: 'message.received',
  data: {
    ...{ messageId: MESSAGE.id, conversationId: CONVERSATION_ID, phone: CONTACT.phone },
    ...{ text: 'Oi, tudo bem?', channelId: CHANNEL_ID, occurredAt: MESSAGE.createdAt },
    ...{ contactId: CONTACT.id, kind: 'text', origin: 'contact' },
  },
};

const EXAMPLE = [
  'retry: 1000',
  '',
  `id: ${DELIVERY_ID}`,
  'event: message.received',
  `data: ${JSON.stringify(RECEIVED)}`,
  '',
  '',
].join('\n');

const streamEvents = apiRoute({
  method: 'GET',
  path: '/api/v1/events',
  operationId: 'streamEvents',
  isTool: false,
  summary: 'Os eventos como Server-Sent Events, numa conexão que fica aberta.',
  description:
    'Cada evento traz em `id` a posição no stream e o id da entrega (`posição.dlv_…`), e em ' +
    '`data` os mesmos bytes de um POST. O que não ' +
    'foi confirmado chega de novo a cada conexão, na ordem do stream: confirme com ' +
    '`Last-Event-ID` ou com `POST /api/v1/events/ack`. O stream começa na primeira conexão e ' +
    'guarda o que falta por 24 horas após a última. Uma conexão nova encerra a anterior do ' +
    'mesmo nome (`event: replaced`). Com 1.000 entregas por confirmar a resposta termina. ' +
    '`event: overflow` diz quantas foram descartadas por esperarem demais (100.000, se o operador ' +
    'não disser outro número). A chave ' +
    'tem até 10 streams e a organização 50 (409).',
  tag: 'Streams de eventos',
  query: StreamEventsQuery,
  fieldDescriptions: {
    name: 'Nome do stream, entre os da mesma chave.',
    events: 'Nomes de eventos separados por vírgula, ou `*` para os nove do contrato.',
  },
  ownParameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'O último id lido: confirma as entregas até ele, e o stream segue depois dele.',
      schema: { type: 'string' },
    },
  ],
  answers: {
    200: {
      description: 'Os eventos, enquanto a conexão durar.',
      schema: v.string(),
      contentType: 'text/event-stream',
      example: EXAMPLE,
    },
  },
  refusals: [409],
  opensStream: true,
  plan({ caller, ids, query }) {
    const { orgId, keyId } = caller;
    const { name, events } = query;
    const id = streamId(ids, { orgId, keyId, name });
    const stream = { orgId, keyId, name, streamId: id, events: eventNames(events) };
    return { to: 'events', stream };
  },
});

const acknowledgeEvents = apiRoute({
  method: 'POST',
  path: '/api/v1/events/ack',
  operationId: 'acknowledgeEvents',
  access: 'read',
  isTool: false,
  summary: 'Confirma os eventos recebidos de um stream, até um id ou um a um.',
  description:
    'Informe `id` ou `results`, nunca os dois. `id` confirma tudo o que o stream escreveu até ' +
    'essa entrega. `results` encerra cada entrega com o resultado de quem a repassou. Vale com ou ' +
    'sem conexão aberta, e um id desconhecido não confirma nada. Não conta no limite de ' +
    'chamadas; são aceitas 2 por segundo em cada stream (429).',
  tag: 'Streams de eventos',
  body: AcknowledgeEventsBody,
  fieldDescriptions: {
    name: 'Nome do stream, entre os da mesma chave.',
    id: 'Id de uma entrega; fora de `results`, confirma até ela.',
    results: 'Ids de entregas com o resultado de cada uma.',
    status: 'Status HTTP que o destino respondeu; nulo quando não respondeu.',
    ms: 'Duração do repasse em milissegundos.',
  },
  bodyExample: { id: DELIVERY_ID },
  answers: {
    200: {
      description: 'Quantas entregas foram confirmadas agora.',
      schema: AcknowledgedEventsAnswer,
      example: { data: { acknowledged: 1 } },
    },
  },
  refusals: [404],
  isUncounted: true,
  async run({ caller, ids, body, ask }) {
    const { orgId, keyId } = caller;
    const { name, id: upTo, results = [] } = body;
    const command: AcknowledgeStream = {
      ...{ id: ids.fresh('cmd'), type: 'acknowledge-stream', orgId },
      settled: upTo === undefined ? { results: results.map(rounded) } : { upTo },
    };
    const key = streamId(ids, { orgId, keyId, name });
    const answer = await ask({ to: 'actor', address: { kind: 'subscription', key }, command });
    return answer.status === 200 ? jsonReply(200, { data: bodyOf(answer) }) : answer;
  },
});

function rounded<Result extends { readonly ms: number }>(result: Result): Result {
  return { ...result, ms: Math.round(result.ms) };
}

export const EVENT_ROUTES: readonly Route[] = [streamEvents, acknowledgeEvents];
