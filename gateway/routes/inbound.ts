/**
 * POST /api/webhooks/channel/{id}: contact, message and flow in one call (C4.20).
 * The call is several commands: once the contact is saved it stays saved, whatever
 * becomes of the message or the flow.
 */

import { type Inbound, InboundAnswer, InboundBody } from '../../shared/api/inbound.ts';
import { RefusalSchema } from '../../shared/api/refusal.ts';
import { contactId, conversationId, looksLikeId } from '../../shared/entity-ids.ts';
import { FAILURES, type Failure, failure, invalid } from '../../shared/failures.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { Caller, CallerChannel } from '../../shared/wire/caller.ts';
import type { SendMessage, StartFlow, UpsertContact } from '../../shared/wire/commands.ts';
import type { FindFlow, FoundFlow } from '../../shared/wire/queries.ts';
import { jsonReply, type Reply, refusalReply } from '../http/respond.ts';
import { apiRoute, type Call, channelInScope, type Route, readinessRefusal } from '../route.ts';
import { CHANNEL_ID, CONTACT, CONVERSATION_ID, MESSAGE_ID } from './examples.ts';
import {
  describeInboundWebhook,
  INBOUND_PATH,
  INBOUND_SAMPLE,
  whenOf,
} from './inbound-contract.ts';
import { ONCE } from './sentences.ts';

const OTHER_CHANNELS_FLOW = 'O fluxo pertence a outro canal.';

/** One call in progress. */
interface InboundCall extends Call<null, Inbound> {
  readonly channel: CallerChannel;
  readonly phone: string;
  /** Of the contact; the conversation's follows from it. */
  readonly contactId: string;
}

function saveContact({ caller, ids, body, phone, contactId: key }: InboundCall) {
  const { name, email, fields, tags, optIn } = body;
  const command: UpsertContact = {
    id: ids.fresh('cmd'),
    type: 'upsert',
    orgId: caller.orgId,
    phone,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(fields === undefined ? {} : { fields }),
    ...(tags === undefined ? {} : { tags }),
    ...(optIn === undefined ? {} : { optIn }),
    source: 'webhook',
    origin: webhookOriginOf(caller),
  };
  return { to: 'actor', address: { kind: 'contact', key }, command } as const;
}

function conversationOf({ ids, channel, contactId: contact }: InboundCall) {
  return { kind: 'conversation', key: conversationId(ids, channel.id, contact) } as const;
}

/** An AI assistant stays one, whichever way it calls. */
function webhookOriginOf({ assistant }: Caller): Origin {
  return assistant ? 'assistant' : 'webhook';
}

/** The contact stays saved, whatever becomes of the message or the flow. */
async function receive(call: InboundCall): Promise<Reply> {
  const saved = await call.ask(saveContact(call), { effectStays: true });
  if (saved.status >= 300) return saved;
  const { created, data: contact } = bodyOf(saved);
  const { body, channel } = call;
  const data = { contactId: contact.id, created, channelId: channel.id };
  if (body.message !== undefined) return sendMessage(call, body.message, data);
  if (body.flowId !== undefined) return startFlow(call, body.flowId, data);
  return jsonReply(created ? 201 : 200, { data });
}

type Data = Readonly<Record<string, unknown>>;

async function sendMessage(call: InboundCall, text: string, data: Data): Promise<Reply> {
  const { caller, channel, ids, phone } = call;
  const notReady = readinessRefusal(channel);
  if (notReady) return refusalReply(notReady);
  const command: SendMessage = {
    id: ids.fresh('msg'),
    type: 'send',
    orgId: caller.orgId,
    channelId: channel.id,
    phone,
    byConversation: false,
    channelScope: caller.scope === 'channel',
    text,
    authorLabel: caller.keyName,
    origin: webhookOriginOf(caller),
  };
  const sent = await call.ask({ to: 'actor', address: conversationOf(call), command });
  if (sent.status !== 201) return sent;
  const sentAs = { conversationId: bodyOf(sent).data.conversationId, messageId: command.id };
  return jsonReply(201, { data: { ...data, ...sentAs } });
}

/** A skipped start, and a flow bound to another channel (D10). */
function refuseFlow({ caller, channel }: InboundCall, flow: FoundFlow): Failure | null {
  if (flow.channelId !== null && flow.channelId !== channel.id) {
    return caller.scope === 'channel'
      ? failure('other_channel')
      : invalid({ path: 'flowId', message: OTHER_CHANNELS_FLOW });
  }
  return flow.enabled ? null : failure('flow_disabled');
}

async function startFlow(call: InboundCall, flowId: string, data: Data): Promise<Reply> {
  const { caller, channel, ids, phone, ask } = call;
  if (!looksLikeId(flowId)) return refusalReply(failure('flow_not_found'));
  const payload: FindFlow = { orgId: caller.orgId, flowId };
  const found = await ask({ to: 'query', resource: 'flow', payload });
  if (found.status !== 200) return found;
  const refusal = refuseFlow(call, bodyOf(found));
  if (refusal) return refusalReply(refusal);
  const command: StartFlow = {
    id: ids.fresh('cmd'),
    type: 'start-flow',
    orgId: caller.orgId,
    channelId: channel.id,
    phone,
    flowId,
    origin: webhookOriginOf(caller),
  };
  const started = await ask({ to: 'actor', address: conversationOf(call), command });
  // A skipped start of the API has no `error`; here it is a refusal like any other.
  if (started.status === 409) return refusalReply(failure('flow_skipped'));
  if (started.status !== 201) return started;
  const { conversationId } = bodyOf(started).data;
  return jsonReply(201, { data: { ...data, conversationId, flow: 'started' } });
}

const receiveInbound = apiRoute({
  method: 'POST',
  path: INBOUND_PATH,
  operationId: 'receiveInbound',
  access: 'full',
  summary: 'Cria ou atualiza o contato e, se pedido, envia uma mensagem ou inicia um fluxo.',
  description:
    'Informe `message` ou `flowId`, nunca os dois. O contato fica salvo mesmo quando a mensagem ' +
    'não pode ser enviada ou o fluxo não pode iniciar (404, 409). A mensagem é aceita e enviada ' +
    'para um contato que pediu para sair também; o fluxo não inicia (409). ' +
    ONCE,
  tag: 'Webhook de entrada',
  body: InboundBody,
  fieldDescriptions: {
    message: 'Texto enviado ao contato pelo canal, como automação.',
    flowId: 'Fluxo que começa na conversa do contato.',
  },
  bodyExample: INBOUND_SAMPLE,
  whenDisconnected: 'unavailable',
  isRecorded: true,
  isTool: false,
  isForm: true,
  answers: {
    200: {
      description: whenOf(200),
      schema: InboundAnswer,
      example: { data: { contactId: CONTACT.id, created: false, channelId: CHANNEL_ID } },
    },
    201: {
      description: whenOf(201),
      schema: InboundAnswer,
      example: {
        data: {
          contactId: CONTACT.id,
          created: true,
          channelId: CHANNEL_ID,
          conversationId: CONVERSATION_ID,
          messageId: MESSAGE_ID,
        },
      },
    },
    503: {
      description: whenOf(503),
      schema: RefusalSchema,
      example: { error: FAILURES.unavailable.sentence },
    },
  },
  refusals: [403, 404, 409],
  async run(call) {
    const { caller, ids, params } = call;
    const scoped = channelInScope(caller, params.id);
    if ('refusal' in scoped) return refusalReply(scoped.refusal);
    const phone = call.phone ?? '';
    const contact = contactId(ids, caller.orgId, phone);
    return receive({ ...call, channel: scoped.value, phone, contactId: contact });
  },
});

export const INBOUND_ROUTES: readonly Route[] = [describeInboundWebhook, receiveInbound];
