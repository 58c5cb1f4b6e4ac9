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

export const NETWORK_ROUTES: readonly Route[] = [
  networkRoute({
    method: 'GET',
    provider: 'cloud',
    path: '/networks/cloud/{channelId}',
    operationId: 'verifyCloudWebhook',
    summary: 'Verificação do endereço pela rede (rede cloud).',
    tag: 'Redes',
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
    tag: 'Redes',
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
    tag: 'Redes',
    answers: { 200: received },
    refusals: [404],
    plan: (request) => forwardWebhook('web', request),
  }),
];
