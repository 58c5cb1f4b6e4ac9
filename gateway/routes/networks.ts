/**
 * Webhooks of the messaging networks (C13.5). The gateway forwards them raw to the channel's actor,
 * which knows the secrets; the actor's answer is the network's answer.
 */
import * as v from 'valibot';
import type { Provider } from '../../shared/vocabulary.ts';
import type { NetworkChallenge, NetworkWebhook } from '../../shared/wire/commands.ts';
import { type NetworkRequest, networkRoute, type Plan, type Route } from '../route.ts';

/** Headers that a proxy or a browser adds are not the network's, and may be secrets. */
const NOT_FORWARDED = new Set(['authorization', 'cookie', 'x-api-key', 'proxy-authorization']);

function forwardedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name)));
}

function forwardWebhook(provider: Provider, request: NetworkRequest): Plan {
  const command: NetworkWebhook = {
    id: request.commandId,
    type: 'webhook',
    provider,
    headers: forwardedHeaders(request.headers),
    rawBody: request.bytes.toString('base64'),
  };
  return { to: 'actor', address: channelAddress(request), command };
}

function challenge(provider: Provider, request: NetworkRequest): Plan {
  const command: NetworkChallenge = {
    id: request.commandId,
    type: 'challenge',
    provider,
    query: Object.fromEntries(new URLSearchParams(request.query)),
  };
  return { to: 'actor', address: channelAddress(request), command };
}

function channelAddress({ params }: NetworkRequest) {
  return { kind: 'channel', key: params.channelId ?? '' } as const;
}

const received = {
  description: 'Recebido.',
  schema: v.object({ data: v.object({ received: v.boolean() }) }),
  example: { data: { received: true } },
};

/** A parameter of the document that its network always sends. */
function required(name: string, place: 'query' | 'header', description: string) {
  return { name, in: place, required: true, description, schema: { type: 'string' } };
}

export const NETWORK_ROUTES: readonly Route[] = [
  networkRoute({
    method: 'GET',
    provider: 'cloud',
    path: '/networks/cloud/{channelId}',
    operationId: 'verifyCloudWebhook',
    summary: 'Verificação do endereço pela rede (rede cloud).',
    description: 'O token de verificação é o do canal; a resposta repete o desafio.',
    tag: 'Redes',
    ownParameters: [
      required('hub.mode', 'query', 'Sempre `subscribe`.'),
      required('hub.verify_token', 'query', 'O token de verificação do canal.'),
      required('hub.challenge', 'query', 'O desafio que a resposta repete.'),
    ],
    answers: { 200: { description: 'O desafio, em texto puro.', schema: v.string() } },
    refusals: [403, 404],
    plan: (request) => challenge('cloud', request),
  }),
  networkRoute({
    method: 'POST',
    provider: 'cloud',
    path: '/networks/cloud/{channelId}',
    operationId: 'receiveCloudWebhook',
    summary: 'Notificações da rede cloud, assinadas em X-Hub-Signature-256.',
    description: 'A assinatura é conferida sobre os bytes do corpo.',
    tag: 'Redes',
    ownParameters: [
      required('X-Hub-Signature-256', 'header', '`sha256=` e o HMAC-SHA256 do corpo.'),
    ],
    answers: { 200: received },
    refusals: [404],
    plan: (request) => forwardWebhook('cloud', request),
  }),
  networkRoute({
    method: 'POST',
    provider: 'web',
    path: '/networks/web/{channelId}',
    operationId: 'receiveWebWebhook',
    summary: 'Notificações da ponte de QR code, com HMAC.',
    description: 'O HMAC é conferido sobre os bytes do corpo.',
    tag: 'Redes',
    ownParameters: [
      required('X-Webhook-Hmac', 'header', 'O HMAC do corpo, em hexadecimal.'),
      {
        name: 'X-Webhook-Hmac-Algorithm',
        in: 'header',
        description: 'O algoritmo do HMAC.',
        schema: { type: 'string', default: 'sha512' },
      },
    ],
    answers: { 200: received },
    refusals: [404],
    plan: (request) => forwardWebhook('web', request),
  }),
];
