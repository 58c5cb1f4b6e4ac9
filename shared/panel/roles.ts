/**
 * Roles: which operation of the panel each may call. The gateway's checks and the tests' matrix are
 * made from this table. An operation without a row is allowed to no role.
 *
 * The operator is no member: it reads, and does what the command line does.
 */
import type { Role } from '../vocabulary.ts';

const EVERYONE: readonly Role[] = ['operator', 'admin', 'attendant', 'viewer'];
const MEMBERS: readonly Role[] = ['admin', 'attendant', 'viewer'];
const WRITERS: readonly Role[] = ['admin', 'attendant'];
const OPERATOR: readonly Role[] = ['operator'];
/** Of what the command line does in a conversation as well. */
const ACTORS: readonly Role[] = ['operator', ...WRITERS];
const TEAM_LEADS: readonly Role[] = ['operator', 'admin'];

const ALLOWED_ROLES: Readonly<Record<string, readonly Role[]>> = {
  listChannels: EVERYONE,
  listContacts: EVERYONE,
  listConversations: EVERYONE,
  listDeals: EVERYONE,
  listFlows: EVERYONE,
  listMessages: EVERYONE,
  listPipelines: EVERYONE,
  listTasks: EVERYONE,
  listTemplates: EVERYONE,
  listPanelConversations: EVERYONE,
  getPanelConversation: EVERYONE,
  getConversation: EVERYONE,
  getMessage: EVERYONE,
  getDeal: EVERYONE,
  getTask: EVERYONE,
  listTags: EVERYONE,
  getMedia: EVERYONE,
  upsertContact: WRITERS,
  changeContact: WRITERS,
  sendMessage: WRITERS,
  readMessage: WRITERS,
  cancelMessage: WRITERS,
  startFlow: WRITERS,
  uploadFile: WRITERS,
  listFiles: EVERYONE,
  addFile: TEAM_LEADS,
  removeFile: TEAM_LEADS,
  writeNote: WRITERS,
  changeConversation: ACTORS,
  readConversation: WRITERS,
  createPipeline: TEAM_LEADS,
  changePipeline: TEAM_LEADS,
  createDeal: WRITERS,
  changeDeal: WRITERS,
  createTask: WRITERS,
  changeTask: WRITERS,
  getSession: EVERYONE,
  listenLive: EVERYONE,
  tellTyping: WRITERS,
  signOut: EVERYONE,
  setPassphrase: MEMBERS,
  listOrganizations: OPERATOR,
  listMembers: EVERYONE,
  listPanelMembers: TEAM_LEADS,
  getContact: EVERYONE,
  listPanelContacts: EVERYONE,
  getPanelContact: EVERYONE,
  sumDeals: EVERYONE,
  listDueTasks: EVERYONE,
  listQuickReplies: EVERYONE,
  createQuickReply: WRITERS,
  removeQuickReply: WRITERS,
  describeChannels: EVERYONE,
  createChannelKey: TEAM_LEADS,
  cancelBulk: TEAM_LEADS,
  listKeys: TEAM_LEADS,
  createKey: TEAM_LEADS,
  revokeKey: TEAM_LEADS,
  listSubscriptions: TEAM_LEADS,
  createSubscription: TEAM_LEADS,
  changeSubscription: TEAM_LEADS,
  rotateSubscription: TEAM_LEADS,
  getStream: TEAM_LEADS,
  listDeliveries: TEAM_LEADS,
  getDelivery: TEAM_LEADS,
  retryDeliveries: TEAM_LEADS,
  inviteMember: TEAM_LEADS,
  changeMember: TEAM_LEADS,
  listSessions: TEAM_LEADS,
  endSession: TEAM_LEADS,
  listAudit: TEAM_LEADS,
  listFlowStates: EVERYONE,
  findFlowState: TEAM_LEADS,
  listFlowRuns: EVERYONE,
  findFlowRun: EVERYONE,
  enableFlow: TEAM_LEADS,
  publishFlow: TEAM_LEADS,
  listInboundCalls: TEAM_LEADS,
  listRecentEvents: TEAM_LEADS,
  readOperation: OPERATOR,
  readRates: OPERATOR,
};

export function isAllowed(role: Role, operationId: string): boolean {
  return ALLOWED_ROLES[operationId]?.includes(role) ?? false;
}
