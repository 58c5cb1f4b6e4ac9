/** A good request of every operation: what its caller names is the caller's own. */
import { freshPhone } from '../../support/api.ts';
import type { Position } from './positions.ts';
import type { ResourcesFixture } from './resources-fixture.ts';

type Values = Readonly<Record<string, unknown>>;

export interface Wanted {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Values;
  /** Raw bytes, in place of a body. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const ALL = { limit: '200' };

/** By operation; the body of a good request names as little as it can. */
const PLAIN: Readonly<Record<string, (resources: ResourcesFixture) => Wanted>> = {
  getMe: () => ({}),
  listChannels: () => ({}),
  listTemplates: () => ({ query: ALL }),
  listMembers: () => ({}),
  listContacts: () => ({ query: ALL }),
  getContact: ({ contactId }) => ({ path: { id: contactId } }),
  changeContact: ({ contactId }) => ({ path: { id: contactId }, body: { name: 'Maria' } }),
  listTags: () => ({ query: ALL }),
  upsertContact: () => ({ body: { phone: freshPhone() } }),
  listConversations: () => ({ query: ALL }),
  getConversation: ({ conversationId }) => ({ path: { id: conversationId } }),
  changeConversation: ({ conversationId }) => ({
    path: { id: conversationId },
    body: { status: 'open' },
  }),
  writeNote: ({ conversationId }) => ({ path: { id: conversationId }, body: { text: 'Nota' } }),
  getMessage: ({ inboundId }) => ({ path: { id: inboundId } }),
  listMessages: ({ conversationId }) => ({ query: { ...ALL, conversationId } }),
  sendMessage: ({ channelId }) => ({ body: { channelId, phone: freshPhone(), text: 'oi' } }),
  readMessage: ({ inboundId }) => ({ path: { id: inboundId }, body: {} }),
  cancelMessage: ({ scheduledId }) => ({ path: { id: scheduledId }, body: {} }),
  getMedia: ({ mediaId }) => ({ path: { id: mediaId } }),
  listFiles: () => ({ query: ALL }),
  addFile: () => ({
    bytes: Buffer.from('oi'),
    headers: { 'content-type': 'text/plain', 'x-file-name': 'oi.txt' },
  }),
  removeFile: ({ spareFileIds }) => ({ path: { id: spareFileIds.pop() ?? 'fil_none' } }),
  listFlows: () => ({}),
  startFlow: ({ flowId, channelId }) => ({
    path: { id: flowId },
    body: { channelId, phone: freshPhone() },
  }),
  listPipelines: () => ({}),
  createPipeline: () => ({ body: { name: 'Pós-venda', stages: [{ name: 'Aberto' }] } }),
  changePipeline: ({ pipelineId }) => ({ path: { id: pipelineId }, body: { name: 'Vendas' } }),
  listDeals: () => ({ query: ALL }),
  getDeal: ({ dealId }) => ({ path: { id: dealId } }),
  createDeal: ({ contactId }) => ({ body: { contactId, title: 'Plano' } }),
  changeDeal: ({ dealId }) => ({ path: { id: dealId }, body: { title: 'Plano anual' } }),
  listTasks: () => ({ query: ALL }),
  getTask: ({ taskId }) => ({ path: { id: taskId } }),
  createTask: () => ({ body: { title: 'Ligar' } }),
  changeTask: ({ taskId }) => ({ path: { id: taskId }, body: { title: 'Ligar de novo' } }),
  describeInboundWebhook: ({ channelId }) => ({ path: { id: channelId } }),
  receiveInbound: ({ channelId }) => ({ path: { id: channelId }, body: { phone: freshPhone() } }),
  streamEvents: () => ({}),
  acknowledgeEvents: () => ({ body: { id: 'dlv_none' } }),
  verifyCloudWebhook: ({ cloudId }) => ({ path: { channelId: cloudId } }),
  receiveCloudWebhook: ({ cloudId }) => ({ path: { channelId: cloudId }, body: {} }),
  receiveWebWebhook: ({ webId }) => ({ path: { channelId: webId }, body: {} }),
  getOpenApi: () => ({}),
  getDocumentation: () => ({}),
  getTryPage: () => ({}),
  getDocumentationFile: () => ({ path: { name: 'page-style' } }),
  getClientPackage: () => ({}),
  getHealth: () => ({}),
  getReadiness: () => ({}),
};

/** The entity of an id in a query or body, by its name; in a path the operation decides it. */
const NAMED: Readonly<Record<string, (resources: ResourcesFixture) => string>> = {
  channelId: ({ channelId }) => channelId,
  contactId: ({ contactId }) => contactId,
  conversationId: ({ conversationId }) => conversationId,
  flowId: ({ flowId }) => flowId,
  dealId: ({ dealId }) => dealId,
  stageId: ({ stageId }) => stageId,
  pipelineId: ({ pipelineId }) => pipelineId,
  mediaId: ({ fileId }) => fileId,
  ownerId: ({ memberId }) => memberId,
  assigneeId: ({ memberId }) => memberId,
  replyToId: ({ inboundId }) => inboundId,
  // No delivery: it settles nothing.
  id: ({ contactId }) => contactId,
};

/** Operations that say how they are asked. */
export const ASKED = Object.keys(PLAIN);

/** A request with everything of the caller's own, but for one id that is of `theirs`. */
export function wantedAt(
  { operation, at }: Position,
  own: ResourcesFixture,
  theirs: ResourcesFixture,
): Wanted {
  const wanted = PLAIN[operation]?.(own);
  if (!wanted) throw new Error(`nobody knows how ${operation} is asked`);
  if (at === null) return wanted;
  const foreign =
    at.place === 'path' ? PLAIN[operation]?.(theirs).path?.[at.name] : NAMED[at.name]?.(theirs);
  if (foreign === undefined) throw new Error(`nobody knows what ${operation} ${at.name} names`);
  const { phone: _, ...rest } = wanted.body ?? {};
  const repeats = operation === 'sendMessage' && at.name === 'conversationId';
  const quotes = operation === 'sendMessage' && at.name === 'replyToId';
  const { conversationId } = own;
  const base = repeats ? rest : quotes ? { ...rest, conversationId } : (wanted.body ?? {});
  if (at.place === 'body') return { ...wanted, body: { ...base, [at.name]: foreign } };
  return { ...wanted, [at.place]: { ...wanted[at.place], [at.name]: foreign } };
}

/** The same as the arguments of a tool, where a number is no text. */
export function argumentsOf({ path, query = {}, body }: Wanted): Values {
  const typed = Object.entries(query).map(([name, text]) => [
    name,
    name === 'limit' ? Number(text) : text,
  ]);
  return { ...path, ...Object.fromEntries(typed), ...body };
}
