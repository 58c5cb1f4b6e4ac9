/**
 * GET /api/webhooks/channel/{id}: the contract of the POST at the same address, derived from the
 * POST's own validation (C4.19, D8).
 */

import { InboundBody, InboundContractAnswer } from '../../shared/api/inbound.ts';
import { RefusalSchema } from '../../shared/api/refusal.ts';
import { failure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { FindInboundWebhook } from '../../shared/wire/queries.ts';
import type { Gateway } from '../gateway.ts';
import { answerReply, jsonReply, type Reply, refusalReply } from '../http/respond.ts';
import { type JsonObject, jsonSchemaOf } from '../json-schema.ts';
import { type OpenRequest, openRoute } from '../route.ts';

export const INBOUND_PATH = '/api/webhooks/channel/{id}';

export const INBOUND_SAMPLE = {
  phone: '+55 (11) 98888-7777',
  name: 'Maria Lima',
  email: 'maria@example.com',
  message: 'Olá, Maria! Recebemos o seu pedido.',
  tags: ['site'],
  fields: { plano: 'ouro' },
  optIn: true,
};

/** The statuses of the POST, as C4.20 has them. */
const ANSWERS = [
  { status: 200, when: 'O contato já existia; nem mensagem nem fluxo foi pedido.' },
  { status: 201, when: 'O contato foi criado, a mensagem aceita ou o fluxo iniciado.' },
  { status: 400, when: 'O corpo não é um JSON válido.' },
  { status: 401, when: 'Chave ausente, inválida ou revogada.' },
  { status: 403, when: 'A chave é de outro canal.' },
  { status: 404, when: 'Não há este canal; ou não há este fluxo (o contato foi salvo).' },
  {
    status: 409,
    when: 'O número não pode enviar agora ou o fluxo não pôde iniciar; o contato foi salvo.',
  },
  { status: 413, when: 'O corpo é grande demais.' },
  { status: 422, when: 'Dados recusados; `issues` aponta cada campo.' },
  { status: 429, when: 'Limite de chamadas excedido; `Retry-After` diz quanto esperar.' },
  { status: 500, when: 'Falha do serviço; tente novamente mais tarde.' },
  { status: 503, when: 'O serviço está sem conexão com o sistema.' },
] as const;

export function whenOf(status: number): string {
  return ANSWERS.find((answer) => answer.status === status)?.when ?? '';
}

/** The schema of the POST's body, with the rule across its fields that the converter leaves out. */
function bodySchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...jsonSchemaOf(InboundBody),
    not: { required: ['message', 'flowId'] },
  };
}

const EXAMPLE_URL = 'https://api.example.com/api/webhooks/channel/chn_5XoBq2KzT0mWc8RvYh1LdE';

function describeContract(url: string) {
  return {
    method: 'POST',
    url,
    authentication: {
      required: true,
      headers: ['Authorization: Bearer <API_KEY>', 'x-api-key: <API_KEY>'],
      keys: 'A chave deste canal (preferida) ou uma chave da conta.',
    },
    schema: bodySchema(),
    sample: INBOUND_SAMPLE,
    answers: ANSWERS,
  };
}

async function showContract(gateway: Gateway, { requestId, params }: OpenRequest): Promise<Reply> {
  if (!gateway.bus.connected()) return refusalReply(failure('unavailable'));
  if (gateway.loadShedder.isOverloaded('open')) {
    gateway.metrics?.shed();
    return refusalReply(failure('overloaded'));
  }
  const payload: FindInboundWebhook = { channelId: params.id ?? '' };
  const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
  const answer = await gateway.bus.query('inbound-webhook', payload, { deadline, requestId });
  if (answer.status !== 200) return answerReply(answer);
  return jsonReply(200, { data: describeContract(bodyOf(answer).url) });
}

export const describeInboundWebhook = openRoute({
  method: 'GET',
  path: INBOUND_PATH,
  operationId: 'describeInboundWebhook',
  summary: 'O contrato do webhook de entrada do canal, sem chave.',
  description: 'Derivado da própria validação do POST no mesmo endereço.',
  tag: 'Webhook de entrada',
  answers: {
    200: {
      description: 'O contrato do POST no mesmo endereço.',
      schema: InboundContractAnswer,
      example: { data: describeContract(EXAMPLE_URL) },
    },
    503: { description: whenOf(503), schema: RefusalSchema },
  },
  refusals: [404],
  answer: showContract,
});
