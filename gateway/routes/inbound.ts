/**
 * POST /api/webhooks/channel/{id}: contact, message and flow in one call (C4.20).
 * The call is several commands: once the contact is saved it stays saved, whatever
 * becomes of the message or the flow.
 */

import { type Inbound, InboundAnswer, InboundBody } from '../../shared/api/inbound.ts';
import { RefusalSchema } from '../../shared/api/refusal.ts';
import { contactId, conversationId, looksLikeId } from '../../shared/entity-ids.ts';
import { FAILURES, type Failure, failure, invalid } from '../../shared/failures.ts';
import type { AnswerOf } from '../../shared/ports/bus.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { Caller, CallerChannel } from '../../shared/wire/caller.ts';
import type {
  SavedContact,
  SendMessage,
  StartFlow,
  UpsertContact,
} from '../../shared/wire/commands.ts';
import type { FindFlow, FoundFlow } from '../../shared/wire/queries.ts';
import { jsonReply, type Reply, refusalReply } from '../respond.ts';
import {
  apiRoute,
  channelInScope,
  type Plan,
  type Route,
  readinessRefusal,
  type Sequence,
  type Step,
  sequence,
} from '../route.ts';
import { CHANNEL_ID, CONTACT, CONVERSATION_ID, MESSAGE_ID } from './examples.ts';
import {
  describeInboundWebhook,
  INBOUND_PATH,
  INBOUND_SAMPLE,
  whenOf,
} from './inbound-contract.ts';

const OTHER_CHANNELS_FLOW = 'O fluxo pertence a outro canal.';

/** One call in progress. */
interface InboundCall {
  readonly caller: Caller;
  readonly channel: CallerChannel;
  readonly ids: Ids;
  readonly body: Inbound;
  readonly phone: string;
  /** Of the contact; the conversation's follows from it. */
  readonly contactId: string;
}

function saveContact({ caller, ids, body, phone, contactId: key }: InboundCall): Plan {
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
    origin: 'webhook',
  };
  return { to: 'actor', address: { kind: 'contact', key }, command };
}

function conversationOf({ ids, channel, contactId: contact }: InboundCall) {
  return { kind: 'conversation', key: conversationId(ids, channel.id, contact) } as const;
}

/** The step after the contact is saved. */
function afterContact(call: InboundCall, saved: Reply & AnswerOf<SavedContact>): Step {
  if (saved.status >= 300) return saved;
  const { created, data: contact } = bodyOf(saved);
  const { body, channel } = call;
  const data = { contactId: contact.id, created, channelId: channel.id };
  if (body.message !== undefined) return sendMessage(call, body.message, data);
  if (body.flowId !== undefined) return findFlow(call, body.flowId, data);
  return jsonReply(created ? 201 : 200, { data });
}

type Data = Readonly<Record<string, unknown>>;

function sendMessage(call: InboundCall, text: string, data: Data): Step {
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
    origin: 'webhook',
  };
  const address = conversationOf(call);
  return sequence({ to: 'actor', address, command }, (sent) => {
    if (sent.status !== 201) return sent;
    const { conversationId } = bodyOf(sent).data;
    const sentAs = { conversationId, messageId: command.id };
    return jsonReply(201, { data: { ...data, ...sentAs } });
  });
}

function findFlow(call: InboundCall, flowId: string, data: Data): Step {
  if (!looksLikeId(flowId)) return refusalReply(failure('flow_not_found'));
  const payload: FindFlow = { orgId: call.caller.orgId, flowId };
  return sequence({ to: 'query', resource: 'flow', payload }, (found) => {
    if (found.status !== 200) return found;
    const refusal = refuseFlow(call, bodyOf(found));
    return refusal ? refusalReply(refusal) : startFlow(call, flowId, data);
  });
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

function startFlow(call: InboundCall, flowId: string, data: Data): Sequence {
  const { caller, channel, ids, phone } = call;
  const command: StartFlow = {
    id: ids.fresh('cmd'),
    type: 'start-flow',
    orgId: caller.orgId,
    channelId: channel.id,
    phone,
    flowId,
    origin: 'webhook',
  };
  const address = conversationOf(call);
  return sequence({ to: 'actor', address, command }, (started) => {
    // A skipped start of the API has no `error`; here it is a refusal like any other.
    if (started.status === 409) return refusalReply(failure('flow_skipped'));
    if (started.status !== 201) return started;
    const { conversationId } = bodyOf(started).data;
    return jsonReply(201, { data: { ...data, conversationId, flow: 'started' } });
  });
}

const receiveInbound = apiRoute({
  method: 'POST',
  path: INBOUND_PATH,
  operationId: 'receiveInbound',
  summary: 'Cria ou atualiza o contato e, se pedido, envia uma mensagem ou inicia um fluxo.',
  tag: 'Webhook de entrada',
  body: InboundBody,
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
  plan({ caller, ids, params, body, phone }) {
    const scoped = channelInScope(caller, params.id);
    if ('refusal' in scoped) return { to: 'caller', refusal: scoped.refusal };
    const identity = phone ?? '';
    const contact = contactId(ids, caller.orgId, identity);
    const channel = scoped.value;
    const call = { caller, channel, ids, body, phone: identity, contactId: contact };
    return {
      to: 'sequence',
      first: saveContact(call),
      appliesPartially: true,
      next: (saved) => afterContact(call, saved),
    };
  },
});

export const INBOUND_ROUTES: readonly Route[] = [describeInboundWebhook, receiveInbound];
