/** An installation with something of everything, so that generated requests meet what exists. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crmFixtureOf, TEAM } from '../../support/api/crm-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { bridgePost } from '../../support/infra/adapters/network/web/bridge.ts';
import { cloudPost, cloudStatus, cloudText } from '../../support/network.ts';
import { type Organization, organizations } from '../../support/organization.ts';
import type { Stack } from '../../support/stack.ts';
import type { RequestInputs } from './requests.ts';
import type { Pool } from './schema-values.ts';

const EACH = 6;
const LATER_MS = 60 * 60 * 1000;
const NOWHERE = ['nada', 'con_0000', 'x', 'a'.repeat(40), '-', '0'];

const FLOWS = [
  {
    ref: 'ask',
    name: 'Pergunta',
    enabled: true,
    channel: null,
    isMain: false,
    triggers: [{ on: 'tag', tag: 'vip' }],
    steps: [
      { id: 'hi', do: 'send', text: 'Olá {{contact.name}}!', next: 'ask' },
      { id: 'ask', do: 'wait', timeout: '1h', saveAs: 'answer', next: 'end', onTimeout: 'end' },
      { id: 'end', do: 'end' },
    ],
  },
  {
    ref: 'off',
    name: 'Desligado',
    enabled: false,
    channel: null,
    isMain: false,
    triggers: [],
    steps: [{ id: 'end', do: 'end' }],
  },
];

/** Calls take them out of the library; the first file stays. */
const SPARE_FILES = 20;

/** It may call nothing that changes anything. */
const READER = {
  ...{ ref: 'reader', name: 'Leitor', scope: 'account', access: 'read' },
  token: 'given-token-of-a-reader-0123456789',
};

export interface FuzzFixture {
  readonly inputs: RequestInputs;
  readonly org: Organization;
}

export async function createFuzzFixture(stack: Stack): Promise<FuzzFixture> {
  const path = join(stack.dataDir, 'logo.png');
  writeFileSync(path, Buffer.from('89504e470d0a1a0a', 'hex'));
  const refs = ['logo', ...Array.from({ length: SPARE_FILES }, (_, at) => `spare-${at}`)];
  const files = refs.map((ref) => ({ ref, name: `${ref}.png`, path, mimeType: 'image/png' }));
  const more = { ...TEAM.more, tags: ['vip'], flows: FLOWS, files };
  const { fuzzed, other } = await organizations(stack, { fuzzed: { more }, other: TEAM });
  await stack.apply({ orgs: [{ ref: fuzzed.ref, keys: [READER] }] });
  const [mine, theirs] = [await poolOf(stack, fuzzed), await poolOf(stack, other, 1)];
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  const pool = Object.fromEntries(
    [...names].map((name) => [name, mixed(name, mine[name] ?? [], theirs[name] ?? [])]),
  );
  return {
    org: fuzzed,
    inputs: {
      pool,
      bodies: { ...bodiesOf(fuzzed, mine), ...(await webhookBodies(stack, fuzzed)) },
      keys: [fuzzed.key, fuzzed.key, fuzzed.mainKey, fuzzed.shopKey, READER.token],
      badKeys: [`${fuzzed.key}x`, 'rcd_abcdefgh_0123456789012345678901234567890'],
      appSecret: fuzzed.appSecret,
      webhookSecret: `webhook-secret-${fuzzed.ref}`,
    },
  };
}

/** Mostly existing values; also ids of another organization, and ids that do not exist. */
function mixed(name: string, mine: readonly string[], theirs: readonly string[]): string[] {
  if (/phone|hub|tags/.test(name)) return [...mine, ...theirs];
  return [...mine, ...mine, ...mine, ...theirs, ...NOWHERE];
}

/** Where fields have to fit each other, chance alone rarely makes a call that is accepted. */
function bodiesOf({ main: channelId }: Organization, pool: Pool): RequestInputs['bodies'] {
  const [conversationId] = pool.conversationId ?? [];
  const [phone] = pool.phone ?? [];
  const [mediaId] = pool.mediaId ?? [];
  const [flowId] = pool.flowId ?? [];
  const tomorrow = { dueOn: '2030-01-01', dueTime: '10:00' };
  return {
    sendMessage: [
      { channelId, phone, text: 'Olá, tudo bem?' },
      { channelId, conversationId, text: '👍' },
      { channelId, phone, mediaId, caption: 'foto' },
    ],
    changeConversation: [{ assignedTo: null, status: 'resolved' }, { status: 'open' }],
    startFlow: [{ channelId, phone }],
    createDeal: [{ phone, title: 'Plano', valueCents: 100 }],
    changeDeal: [{ status: 'lost', lostReason: 'preço' }, { status: 'open' }, { status: 'won' }],
    createPipeline: [{ name: 'Pós-venda', stages: [{ name: 'Aberto' }, { name: 'Resolvido' }] }],
    changePipeline: [{ name: 'Vendas', isDefault: true }, { stages: [{ name: 'Outra' }] }],
    createTask: [{ phone, title: 'Ligar', ...tomorrow }],
    changeTask: [{ done: true }, { done: false }, tomorrow],
    receiveInbound: [
      { phone, name: 'Maria', message: 'oi' },
      { phone, tags: ['novo'] },
      { phone, flowId },
    ],
    acknowledgeEvents: [
      { id: 'dlv_nada' },
      { name: 'erp', id: 'dlv_nada' },
      { results: [{ id: 'dlv_nada', status: null, ms: 1.5 }] },
    ],
  };
}

/** Posts of both networks: a message, a receipt of one that was sent, and unsolicited events. */
async function webhookBodies(stack: Stack, org: Organization): Promise<RequestInputs['bodies']> {
  const phone = freshPhone();
  const sent = await stack.send(org.key, { channelId: org.main, phone, text: 'olá' });
  // Every status before the last one may pass between two looks.
  const { externalId } = await stack.messageIn(org.key, sent, 'read');
  const cloud = (value: Readonly<Record<string, unknown>>): object =>
    JSON.parse(cloudPost('', org.phoneNumberId, value).body);
  const web = (event: string, payload: Readonly<Record<string, unknown>>): object =>
    JSON.parse(bridgePost(org, event, payload).body);
  const text = cloudText(phone, 'wamid.fuzz-1', 'oi');
  const id = 'false_5511988887777@c.us_FUZZ1';
  return {
    receiveCloudWebhook: [
      cloud({ contacts: [{ profile: { name: 'Maria' }, wa_id: phone }], messages: [text] }),
      cloud({ statuses: [cloudStatus(externalId ?? '', 'read', { to: phone })] }),
      cloud({ messages: [text, { ...text, id: 'wamid.fuzz-2', type: 'unknown' }] }),
      { object: 'whatsapp_business_account', entry: [] },
    ],
    receiveWebWebhook: [
      web('message.any', {
        id,
        from: '5511988887777@c.us',
        fromMe: false,
        body: 'oi',
        timestamp: 1,
      }),
      web('message.ack', { id: `true_5511988887777@c.us_A`, ack: 3, ackName: 'READ' }),
      web('session.status', { status: 'WORKING' }),
      web('presence.update', {}),
    ],
  };
}

/** The id of a file that went out with a message. */
async function sentMedia(stack: Stack, org: Organization): Promise<string[]> {
  const [mediaId] = Object.values(org.applied.files);
  if (mediaId === undefined) return [];
  const phone = freshPhone();
  const sent = await stack.send(org.key, { channelId: org.main, phone, mediaId });
  const [message] = await stack.history(org.key, sent.conversationId);
  return [message?.media?.id ?? assert.fail('the message has a file')];
}

/** Ids of messages: sent ones, and the ids that the calls on one message are about. */
async function messagesOf(stack: Stack, org: Organization, phones: readonly string[]) {
  const channelId = org.main;
  const sendAt = new Date(Date.now() + LATER_MS).toISOString();
  const scheduled = await Promise.all(
    phones.map((phone) => stack.send(org.key, { channelId, phone, text: 'até lá', sendAt })),
  );
  const [from = '', first] = [phones[0], scheduled[0] ?? assert.fail('a phone')];
  await stack.network.inbound({ channelId, from, text: 'oi' });
  const history = await stack.history(org.key, first.conversationId);
  const received = history.filter(({ direction }) => direction === 'in').map(({ id }) => id);
  const sent = history.filter(({ direction }) => direction === 'out').map(({ id }) => id);
  return {
    ...{ messageId: [...received, ...sent], replyToId: [...received, ...sent] },
    ...{ 'readMessage.id': received, 'getMessage.id': [...received, ...sent] },
    'cancelMessage.id': scheduled.map(({ messageId }) => messageId),
  };
}

async function poolOf(stack: Stack, org: Organization, each = EACH): Promise<Pool> {
  const crm = crmFixtureOf(stack, org);
  const phones = Array.from({ length: each }, freshPhone);
  const sends = await Promise.all(
    phones.map((phone) => stack.send(org.key, { channelId: org.main, phone, text: 'olá' })),
  );
  const contacts = await Promise.all(phones.map((phone) => stack.contact(org.key, phone)));
  const contactIds = contacts.map((contact) => contact?.id ?? assert.fail('the contact is there'));
  const deals = await Promise.all(contactIds.map((contactId) => crm.deal({ contactId })));
  const tasks = await Promise.all(deals.map(({ id }) => crm.task({ dealId: id })));
  const pipeline = await crm.pipeline();
  const members = ['ana', 'bia', 'mute'].map(crm.member);
  const { applied } = org;
  const flows = Object.values(applied.flows);
  const library = Object.values(applied.files);
  const conversationIds = sends.map(({ conversationId }) => conversationId);
  const dealIds = deals.map(({ id }) => id);
  const taskIds = tasks.map(({ id }) => id);
  return {
    phone: [...phones, '+55 11 98888-0001', '(11) 98888-0002', '11 3333-4444', '+1 202 555 0143'],
    tags: ['vip', 'VIP', 'novo', 'cliente antigo'],
    ...{ channelId: [org.main, org.main, org.shop], flowId: flows, mediaId: library.slice(0, 1) },
    ...{ conversationId: conversationIds, contactId: contactIds },
    ...{ dealId: dealIds, pipelineId: [pipeline.id] },
    ...(await messagesOf(stack, org, phones)),
    ...{ stageId: pipeline.stages.map(({ id }) => id), ownerId: members, assigneeId: members },
    ...{
      'startFlow.id': flows,
      'getMedia.id': await sentMedia(stack, org),
      'removeFile.id': library.slice(1),
      ...{ 'changeDeal.id': dealIds, 'getDeal.id': dealIds },
      ...{ 'changeTask.id': taskIds, 'getTask.id': taskIds },
      ...{ 'getContact.id': contactIds, 'changeContact.id': contactIds },
      ...{ 'getConversation.id': conversationIds, 'writeNote.id': conversationIds },
      'changePipeline.id': [pipeline.id],
      'changeConversation.id': conversationIds,
    },
    'getDocumentationFile.name': ['page-style', 'try-script', 'triable', 'no-file'],
    'describeInboundWebhook.id': [org.main, org.shop],
    'receiveInbound.id': [org.main, org.main, org.shop],
    'verifyCloudWebhook.channelId': [org.main],
    'receiveCloudWebhook.channelId': [org.main],
    'receiveWebWebhook.channelId': [org.shop],
    ...{ 'streamEvents.name': ['default', 'erp'], 'streamEvents.events': ['*', 'deal.won,*'] },
    'hub.mode': ['subscribe'],
    'hub.verify_token': [org.verifyToken],
    'hub.challenge': ['1158201444', 'x y'],
  };
}
