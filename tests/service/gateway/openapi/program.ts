/** A program of an integrator's: it is written beside a generated client and compiled with it. */

/** Prints one JSON object; wants BASE_URL, API_KEY, CHANNEL_ID, PHONE and MEMBER_ID. */
export const PROGRAM = `
import { createClient, createConfig } from './client/client/index.js';
import * as api from './client/index.js';
import type { OnMessageSentWebhookRequest, Webhooks } from './client/index.js';

declare const process: { env: Record<string, string | undefined> };
const { BASE_URL = '', API_KEY = '', CHANNEL_ID = '', PHONE = '' } = process.env;

const client = createClient(createConfig({ baseUrl: BASE_URL, auth: API_KEY }));

function must<Data>(answer: { data?: Data; error?: unknown }): Data {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

export function textOf(event: OnMessageSentWebhookRequest): string | null {
  return event.body.data.text;
}
export function nameOf(event: Webhooks): string {
  return event.body.event;
}

const me = must(await api.getMe({ client }));
const channels = must(await api.listChannels({ client }));
const contact = must(
  await api.upsertContact({ client, body: { phone: PHONE, name: 'Maria', tags: ['vip'] } }),
);
const once = { 'Idempotency-Key': 'um-envio' };
const message = { channelId: CHANNEL_ID, phone: PHONE, text: 'Olá!' };
const sent = must(await api.sendMessage({ client, headers: once, body: message }));
const again = must(await api.sendMessage({ client, headers: once, body: message }));
const { conversationId } = sent.data;
const history = must(await api.listMessages({ client, query: { conversationId, limit: 10 } }));
const conversations = must(await api.listConversations({ client, query: { status: 'open' } }));
const [pipeline] = must(await api.listPipelines({ client })).data;
const stageId = pipeline?.stages[1]?.id ?? '';
const { data: deal } = must(
  await api.createDeal({ client, body: { contactId: contact.data.id, title: 'Plano' } }),
);
const path = { id: deal.id };
const moved = must(await api.changeDeal({ client, path, body: { stageId } }));
const won = must(await api.changeDeal({ client, path, body: { status: 'won' } }));
const { data: made } = must(
  await api.createPipeline({
    client,
    body: { name: 'Pós-venda', stages: [{ name: 'Aberto' }, { name: 'Resolvido' }] },
  }),
);
const [opened] = made.stages;
const ordered = must(
  await api.changePipeline({
    client,
    path: { id: made.id },
    body: { stages: [{ name: 'Novo' }, { id: opened?.id, name: 'Em aberto' }] },
  }),
);
const closed = await api.changeDeal({ client, path, body: { status: 'won' } });
must(await api.changeDeal({ client, path, body: { status: 'open' } }));
must(await api.changeDeal({ client, path, body: { status: 'lost', lostReason: 'Preço' } }));
const { data: task } = must(
  await api.createTask({ client, body: { title: 'Ligar', dealId: deal.id, dueOn: '2031-02-03' } }),
);
const done = must(await api.changeTask({ client, path: { id: task.id }, body: { done: true } }));
const refused = await api.upsertContact({ client, body: { phone: 'abc' } });
const unknown = await api.startFlow({
  client,
  path: { id: 'flw_none' },
  body: { channelId: CHANNEL_ID, phone: PHONE },
});
const inbound = must(
  await api.receiveInbound({ client, path: { id: CHANNEL_ID }, body: { phone: PHONE } }),
);
must(await api.upsertContact({ client, body: { phone: PHONE, optIn: false } }));
const changed = must(
  await api.changeContact({
    client,
    path: { id: contact.data.id },
    body: { name: null, removeTags: ['VIP'], tags: ['ouro'] },
  }),
);
const flows = must(await api.listFlows({ client, query: { enabled: true } }));
const contract = must(await api.describeInboundWebhook({ client, path: { id: CHANNEL_ID } }));
const only = { client, path: { id: conversationId } };
const conversation = must(await api.getConversation(only));
const note = must(
  await api.writeNote({ ...only, headers: { 'Idempotency-Key': 'uma-nota' }, body: { text: 'Visto' } }),
);
const settled = must(await api.changeConversation({ ...only, body: { status: 'resolved' } }));
const first = history.data[0]?.id ?? '';
const message1 = must(await api.getMessage({ client, path: { id: first } }));
const ids = { contact: contact.data.id, deal: deal.id, task: task.id };
const read = [
  must(await api.getContact({ client, path: { id: ids.contact } })).data.id,
  must(await api.getDeal({ client, path: { id: ids.deal } })).data.id,
  must(await api.getTask({ client, path: { id: ids.task } })).data.id,
];
const members = must(await api.listMembers({ client }));
const tags = must(await api.listTags({ client, query: { limit: 10 } }));
const name = { 'X-File-Name': encodeURIComponent('preços.txt') };
const added = must(await api.addFile({ client, headers: name, body: new Blob(['oi']) }));
const files = must(await api.listFiles({ client, query: { limit: 10 } }));
const gone = must(await api.removeFile({ client, path: { id: added.data.id } }));
const tagged = must(await api.listContacts({ client, query: { tag: 'OURO', optIn: false } }));
const ready = must(await api.getReadiness({ client }));
const issues = refused.error && 'issues' in refused.error ? refused.error.issues : [];

console.log(
  JSON.stringify({
    scope: me.data.scope,
    channels: channels.data.map(({ id }) => id),
    created: contact.created,
    same: again.data.messageId === sent.data.messageId,
    history: history.data.map(({ text }) => text),
    conversations: conversations.total,
    moved: moved.data.stageId === stageId,
    stages: ordered.data.stages.map(({ name }) => name),
    won: won.data.status,
    closed: closed.response?.status,
    done: done.data.done,
    issues: issues.map(({ path: at }) => at),
    unknown: unknown.response?.status,
    inbound: inbound.data.created,
    flows: flows.data.length,
    contract: contract.data.method,
    read: [note.data.conversationId, ...read, conversation.data.id, message1.conversationId],
    wanted: [conversationId, ...Object.values(ids), conversationId, conversationId],
    members: members.data.length,
    tags: tags.data.map(({ name }) => name),
    tagged: tagged.total,
    files: [...files.data.map(({ name, mimeType }) => name + ' ' + mimeType), gone.data.removed],
    changed: [changed.data.name, ...changed.data.tags],
    settled: settled.data.status,
    ready: ready.data.ready,
  }),
);
`;
