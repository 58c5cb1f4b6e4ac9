/**
 * The contract's answer for every position of an id (C4, C5, C7). It depends on the caller's key:
 * the entity's own, one of another channel of the organization, or another organization's.
 */

/** A status; `empty` is a list of nothing, whose `total` is 0. */
export type Verdict = number | 'empty';

export interface Verdicts {
  readonly own: Verdict;
  readonly channel: Verdict;
  readonly organization: Verdict;
}

const everybody = (status: number): Verdicts => ({
  own: status,
  channel: status,
  organization: status,
});
const ofChannel = (own: number): Verdicts => ({ own, channel: 403, organization: 404 });
const ofOrganization = (own: number): Verdicts => ({ own, channel: own, organization: 404 });
const ofTeam = (own: number): Verdicts => ({ own, channel: own, organization: 422 });
const filter: Verdicts = { own: 200, channel: 200, organization: 'empty' };

export const VERDICTS: Readonly<Record<string, Verdicts>> = {
  getMe: everybody(200),
  listChannels: everybody(200),
  listTemplates: everybody(200),
  'listTemplates query.channelId': ofChannel(200),
  listMembers: everybody(200),
  listContacts: everybody(200),
  getContact: everybody(200),
  'getContact path.id': ofOrganization(200),
  changeContact: everybody(200),
  'changeContact path.id': ofOrganization(200),
  listTags: everybody(200),
  upsertContact: everybody(201),
  listConversations: everybody(200),
  // An account key reaches every channel there is: another's filters to nothing (D5).
  'listConversations query.channelId': { own: 200, channel: 403, organization: 'empty' },
  'listConversations query.contactId': { own: 200, channel: 'empty', organization: 'empty' },
  getConversation: everybody(200),
  'getConversation path.id': ofChannel(200),
  changeConversation: everybody(200),
  'changeConversation path.id': ofChannel(200),
  writeNote: everybody(201),
  'writeNote path.id': ofChannel(201),
  getMessage: everybody(200),
  'getMessage path.id': ofChannel(200),
  listMessages: everybody(200),
  'listMessages query.conversationId': ofChannel(200),
  sendMessage: everybody(201),
  'sendMessage body.channelId': ofChannel(201),
  'sendMessage body.conversationId': ofChannel(201),
  'sendMessage body.mediaId': ofOrganization(201),
  // A message quotes one of its own conversation.
  'sendMessage body.replyToId': { own: 201, channel: 422, organization: 422 },
  readMessage: everybody(200),
  'readMessage path.id': ofChannel(200),
  cancelMessage: everybody(200),
  'cancelMessage path.id': ofChannel(200),
  getMedia: everybody(200),
  'getMedia path.id': ofChannel(200),
  listFiles: everybody(200),
  addFile: everybody(201),
  removeFile: everybody(200),
  'removeFile path.id': ofOrganization(200),
  listFlows: everybody(200),
  startFlow: everybody(201),
  'startFlow path.id': ofChannel(201),
  'startFlow body.channelId': ofChannel(201),
  listPipelines: everybody(200),
  createPipeline: everybody(201),
  changePipeline: everybody(200),
  'changePipeline path.id': ofOrganization(200),
  listDeals: everybody(200),
  'listDeals query.pipelineId': filter,
  'listDeals query.stageId': filter,
  'listDeals query.contactId': filter,
  getDeal: everybody(200),
  'getDeal path.id': ofOrganization(200),
  createDeal: everybody(201),
  'createDeal body.contactId': ofOrganization(201),
  'createDeal body.stageId': ofOrganization(201),
  'createDeal body.ownerId': ofTeam(201),
  // Kept only if it is the contact's own, else ignored; `matrix.test.ts` checks what is kept.
  'createDeal body.conversationId': everybody(201),
  changeDeal: everybody(200),
  'changeDeal path.id': ofOrganization(200),
  'changeDeal body.ownerId': ofTeam(200),
  'changeDeal body.stageId': ofOrganization(200),
  listTasks: everybody(200),
  'listTasks query.contactId': filter,
  'listTasks query.dealId': filter,
  'listTasks query.assigneeId': filter,
  getTask: everybody(200),
  'getTask path.id': ofOrganization(200),
  createTask: everybody(201),
  'createTask body.contactId': ofOrganization(201),
  'createTask body.dealId': ofOrganization(201),
  'createTask body.assigneeId': ofTeam(201),
  changeTask: everybody(200),
  'changeTask path.id': ofOrganization(200),
  'changeTask body.assigneeId': ofTeam(200),
  receiveInbound: everybody(201),
  'receiveInbound path.id': ofChannel(201),
  'receiveInbound body.flowId': ofChannel(201),
  streamEvents: everybody(200),
  // Each caller's own stream, which its call before has begun.
  acknowledgeEvents: everybody(200),
  'acknowledgeEvents body.id': everybody(200),
  // Without a key: the same to everybody.
  describeInboundWebhook: everybody(200),
  'describeInboundWebhook path.id': everybody(200),
  getOpenApi: everybody(200),
  getDocumentation: everybody(200),
  getTryPage: everybody(200),
  getDocumentationFile: everybody(200),
  'getDocumentationFile path.name': everybody(200),
  getClientPackage: everybody(200),
  getHealth: everybody(200),
  getReadiness: everybody(200),
  // A network signs: no key of any caller opens its webhook.
  verifyCloudWebhook: everybody(403),
  'verifyCloudWebhook path.channelId': everybody(403),
  receiveCloudWebhook: everybody(401),
  'receiveCloudWebhook path.channelId': everybody(401),
  receiveWebWebhook: everybody(401),
  'receiveWebWebhook path.channelId': everybody(401),
};
