/**
 * The outbound events under the document's `webhooks` (C6.9, D13, D44):
 * the contract's nine, the extensions, and the test that an operator sends by hand.
 */

import { EVENT_DATA } from '../../shared/api/event.ts';
import { CONTRACT_EVENTS, EXTENSION_EVENTS, TEST_EVENT } from '../../shared/events.ts';
import { type JsonObject, jsonSchemaOf } from '../json-schema.ts';
import { DEAL } from '../routes/deals.ts';
import {
  CHANNEL_ID,
  CONTACT,
  CONVERSATION,
  CONVERSATION_ID,
  MESSAGE,
  MESSAGE_ID,
} from '../routes/examples.ts';
import { MEMBER } from '../routes/members.ts';
import { TASK } from '../routes/tasks.ts';

export const EVENTS_TAG = 'Eventos';

const { createdAt: AT } = CONTACT;
const OTHER_STAGE_ID = 'stg_9Ol7Ik5Uj3Yh1Tg8Rf6Ed4';

const MESSAGE_DATA = {
  messageId: MESSAGE_ID,
  conversationId: CONVERSATION_ID,
  phone: CONTACT.phone,
  text: MESSAGE.text,
  channelId: CHANNEL_ID,
  occurredAt: AT,
  contactId: CONTACT.id,
  kind: MESSAGE.kind,
  origin: 'api',
  author: MESSAGE.author,
};
const WON = { ...DEAL, status: 'won', closedAt: AT };
const LOST = { ...DEAL, status: 'lost', lostReason: 'Preço', closedAt: AT };
const OPT_OUT = { ...CONTACT, optIn: false, optOutAt: AT, source: 'contact' };
const DONE = { ...TASK, done: true, doneAt: AT };
const BY_API = { occurredAt: AT, origin: 'api' };
const REFUSED = {
  code: '131047',
  message: 'Passaram mais de 24 horas desde a última mensagem do contato.',
};

type Name = keyof typeof EVENT_DATA;

interface EventRow {
  readonly summary: string;
  readonly data: JsonObject;
}

const ROWS: Readonly<Record<Name, EventRow>> = {
  'message.received': {
    summary: 'O contato enviou uma mensagem.',
    data: { ...MESSAGE_DATA, text: 'Oi, tudo bem?', origin: 'contact' },
  },
  'message.sent': {
    summary: 'Uma mensagem foi enviada, também as enviadas pela API.',
    data: MESSAGE_DATA,
  },
  'contact.opt_out': {
    summary: 'Um contato pediu para não receber mensagens.',
    data: { contact: OPT_OUT, occurredAt: AT, origin: 'contact' },
  },
  'deal.created': { summary: 'Um negócio foi criado.', data: { deal: DEAL, ...BY_API } },
  'deal.stage_changed': {
    summary: 'Um negócio mudou de etapa.',
    data: { deal: DEAL, fromStageId: OTHER_STAGE_ID, toStageId: DEAL.stageId, ...BY_API },
  },
  'deal.won': { summary: 'Um negócio foi ganho.', data: { deal: WON, ...BY_API } },
  'deal.lost': { summary: 'Um negócio foi perdido.', data: { deal: LOST, ...BY_API } },
  'task.created': { summary: 'Uma tarefa foi criada.', data: { task: TASK, ...BY_API } },
  'task.completed': { summary: 'Uma tarefa foi concluída.', data: { task: DONE, ...BY_API } },
  'message.failed': {
    summary: 'A rede recusou uma mensagem.',
    data: { ...MESSAGE_DATA, error: REFUSED },
  },
  'message.delivered': { summary: 'Uma mensagem foi entregue.', data: MESSAGE_DATA },
  'message.read': { summary: 'Uma mensagem foi lida.', data: MESSAGE_DATA },
  'contact.marketing_opt_out': {
    summary: 'Um contato não quer mais mensagens de marketing.',
    data: {
      contact: { ...CONTACT, marketingOptOutAt: AT },
      ...{ occurredAt: AT, origin: 'contact' },
    },
  },
  'deal.reopened': { summary: 'Um negócio foi reaberto.', data: { deal: DEAL, ...BY_API } },
  'conversation.assigned': {
    summary: 'Uma conversa foi atribuída, ou ficou sem responsável.',
    data: {
      conversation: { ...CONVERSATION, assignedTo: MEMBER.id },
      ...{ fromMemberId: null, toMemberId: MEMBER.id, memberId: null, ...BY_API },
    },
  },
  'conversation.resolved': {
    summary: 'Uma conversa foi resolvida.',
    data: {
      conversation: { ...CONVERSATION, status: 'resolved' },
      ...{ memberId: MEMBER.id, occurredAt: AT, origin: 'panel' },
    },
  },
  'conversation.reopened': {
    summary: 'Uma conversa resolvida foi reaberta, também pela mensagem do contato.',
    data: { conversation: CONVERSATION, memberId: null, occurredAt: AT, origin: 'contact' },
  },
  'contact.created': {
    summary: 'Um contato foi criado, também pela mensagem de quem escreve pela primeira vez.',
    data: { contact: CONTACT, ...BY_API },
  },
  'contact.updated': {
    summary: 'Um contato mudou; `changed` diz em quê.',
    data: { contact: CONTACT, changed: ['tags'], ...BY_API },
  },
  'subscription.test': {
    summary: 'Um teste da assinatura, enviado por quem opera.',
    data: { subscriptionId: 'sub_4Fg6Hj8Kl1Zx3Cv5Bn7Mq9', occurredAt: AT, origin: 'panel' },
  },
};

const RULES =
  'Responda 2xx em até 10 segundos e trabalhe depois. Confira uma das duas assinaturas sobre os ' +
  'bytes do corpo. A mesma entrega pode chegar duas vezes: lembre dos ids já vistos. Uma entrega ' +
  'que falha é repetida 6 vezes, com espera crescente.';
const BY_STAR = 'Faz parte de `*`.';
const BY_NAME = 'Extensão: assinada apenas pelo nome, nunca por `*`.';
const BY_HAND = 'Não se assina: só é enviado à mão, a uma assinatura.';

/** The document's `webhooks`. @param prefix the maker's name in the headers, e.g. `X-Service` */
export function webhooksOf(prefix: string): JsonObject {
  const names = [...CONTRACT_EVENTS, ...EXTENSION_EVENTS, TEST_EVENT] as const;
  return Object.fromEntries(names.map((name) => [name, { post: operationOf(name, prefix) }]));
}

function operationOf(name: Name, prefix: string): JsonObject {
  const { summary, data } = ROWS[name];
  return {
    operationId: operationIdOf(name),
    summary,
    description: `${membershipOf(name)} ${RULES}`,
    tags: [EVENTS_TAG],
    security: [],
    parameters: headersOf(name, prefix),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { event: { const: name, type: 'string' }, data: dataSchemaOf(name) },
            required: ['event', 'data'],
          },
          example: { event: name, data },
        },
      },
    },
    responses: {
      '2XX': { description: 'A entrega foi recebida.' },
      410: { description: 'A entrega falha e a assinatura é desativada.' },
      default: { description: 'A entrega é repetida mais tarde; um redirecionamento também.' },
    },
  };
}

function dataSchemaOf(name: Name): JsonObject {
  return jsonSchemaOf(EVENT_DATA[name]);
}

/** `message.received` → `onMessageReceived`. */
function operationIdOf(name: Name): string {
  return `on${name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
}

function membershipOf(name: Name): string {
  if (name === TEST_EVENT) return BY_HAND;
  return CONTRACT_EVENTS.some((each) => each === name) ? BY_STAR : BY_NAME;
}

function headersOf(name: Name, prefix: string): readonly JsonObject[] {
  return [
    header(`${prefix}-Event`, 'O nome do evento.', { type: 'string', const: name }),
    header(`${prefix}-Delivery`, 'O id da entrega, o mesmo em cada tentativa.'),
    header(`${prefix}-Signature`, '`sha256=` e o HMAC-SHA256 do corpo, em hexadecimal.', {
      type: 'string',
      pattern: '^sha256=[0-9a-f]{64}$',
    }),
    header('webhook-id', 'O id da entrega, no padrão Standard Webhooks.'),
    header('webhook-timestamp', 'Segundos desde 1970, no momento da tentativa.', {
      type: 'string',
      pattern: '^\\d+$',
    }),
    header('webhook-signature', 'Uma ou mais assinaturas `v1,…`, separadas por espaço.', {
      type: 'string',
      pattern: '^v1,\\S+( v1,\\S+)*$',
    }),
  ];
}

function header(name: string, description: string, schema: JsonObject = { type: 'string' }) {
  return { name, in: 'header', required: true, description, schema };
}
