/** Registry of queries: every process with actors answers all of them. */
import { renderFailure } from '../../shared/failures.ts';
import { LIST_PARTS_AT_ONCE } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { InstallationRecord } from '../../shared/ports/ids.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { Resource, RestQueries } from '../../shared/wire/query-map.ts';
import { RecountRequests } from '../counters/recount-request.ts';
import type { Environment } from '../environment.ts';
import { claimCall, settleCall, startRetention } from '../idempotency/calls.ts';
import { describe } from '../runtime/describe-fault.ts';
import { ForegroundActivity, OrganizationScheduler } from '../runtime/organization-scheduler.ts';
import { IndexCache } from '../search/index-cache.ts';
import { pageAudit } from './audit.ts';
import { listBacklogs } from './backlogs.ts';
import { checkChannel } from './channel-check.ts';
import {
  findFlow,
  findInboundWebhook,
  listChannels,
  listFlows,
  listMembers,
  listPipelines,
} from './configuration.ts';
import { CONTACTS, listContacts } from './conversations/contacts.ts';
import { CONVERSATIONS, listConversations } from './conversations/conversations.ts';
import { findMessage, findOwnMessage, locateMessage } from './conversations/find-message.ts';
import {
  findContact,
  findConversation,
  findOwnContact,
  findOwnConversation,
} from './conversations/find-one.ts';
import { findFlowRun } from './conversations/flow-run.ts';
import { listFlowRuns } from './conversations/flow-runs.ts';
import { findFlowState, listFlowStates } from './conversations/flow-states.ts';
import { listMessages, MESSAGES } from './conversations/messages.ts';
import {
  findPanelConversation,
  listPanelConversations,
  PANEL_CONVERSATIONS,
} from './conversations/panel-conversations.ts';
import { sumDeals } from './deal-sums.ts';
import { DEALS, findOwnDeal, listDeals } from './deals.ts';
import { findDeliveryOwners, findOwnDelivery, pageDeliveries } from './deliveries.ts';
import { listDueTasks } from './due-tasks.ts';
import {
  findKey,
  findKeyOwner,
  findKeys,
  findOrganizationRefs,
  listOrganizations,
  listSandboxChannels,
} from './installation.ts';
import { joinSpellings } from './join-spellings.ts';
import { listLibrary, pageLibrary } from './library.ts';
import type { Query } from './lists/answer.ts';
import type { Lists } from './lists/page.ts';
import { restOf } from './lists/parts.ts';
import { readMedia } from './media.ts';
import { readAgendas, readOperation } from './operation.ts';
import { findDelivery, listDeliveries, listTags } from './operator-lists.ts';
import { findPhones } from './phones-on-record.ts';
import { recount } from './recount.ts';
import { sendInvitation } from './send-invitation.ts';
import { syncTemplates } from './sync-templates.ts';
import { pageTags } from './tags.ts';
import { findOwnTask, listTasks, TASKS } from './tasks.ts';
import { listTemplates, TEMPLATES } from './templates.ts';
import { endLibraryFile, endUpload, putLibraryPart, putUploadPart } from './uploads.ts';

/** Large parts in flight. */
const PARTS = { perOrganization: LIST_PARTS_AT_ONCE, perProcess: LIST_PARTS_AT_ONCE };

/** Answered by this process itself, not by the environment. */
type Own = 'installation' | 'members' | 'ready' | 'record-checks';
type Listed = Exclude<Resource, keyof RestQueries | Own>;
type Queries = { readonly [Each in Listed]: Query<Each> };
// biome-ignore lint/suspicious/noExplicitAny: each query states its own payload
type AnyQuery = (environment: Environment, payload: any) => Promise<Answer>;

/** Queries that need nothing but the environment. */
const PLAIN: Omit<Queries, keyof ReturnType<typeof pagesOf>> = {
  agendas: readAgendas,
  'audit-page': pageAudit,
  backlogs: listBacklogs,
  'channel-check': checkChannel,
  channels: listChannels,
  'phones-on-record': findPhones,
  pipelines: listPipelines,
  'deal-sums': sumDeals,
  contact: findContact,
  conversation: findConversation,
  deliveries: listDeliveries,
  delivery: findDelivery,
  'deliveries-page': pageDeliveries,
  'delivery-owners': findDeliveryOwners,
  flow: findFlow,
  'flow-run': findFlowRun,
  'flow-runs': listFlowRuns,
  'flow-state': findFlowState,
  'flow-states': listFlowStates,
  flows: listFlows,
  'idempotency-claim': claimCall,
  'idempotency-settle': settleCall,
  'inbound-webhook': findInboundWebhook,
  'join-spellings': joinSpellings,
  key: findKey,
  keys: findKeys,
  library: listLibrary,
  'library-end': endLibraryFile,
  'library-page': pageLibrary,
  'library-part': putLibraryPart,
  media: readMedia,
  message: findMessage,
  'message-place': locateMessage,
  'own-contact': findOwnContact,
  'own-conversation': findOwnConversation,
  'own-deal': findOwnDeal,
  'own-delivery': findOwnDelivery,
  'own-message': findOwnMessage,
  'own-task': findOwnTask,
  'key-owner': findKeyOwner,
  operation: readOperation,
  'organization-refs': findOrganizationRefs,
  organizations: listOrganizations,
  'panel-conversation': findPanelConversation,
  recount,
  'sandbox-channels': listSandboxChannels,
  'send-invitation': sendInvitation,
  'sync-templates': syncTemplates,
  tags: listTags,
  'tags-page': pageTags,
  team: listMembers,
  'upload-end': endUpload,
  'upload-part': putUploadPart,
};

/** Pages of lists, with totals, searches and parts. */
function pagesOf(lists: Lists) {
  return {
    contacts: listContacts(lists),
    conversations: listConversations(lists),
    messages: listMessages(lists),
    deals: listDeals(lists),
    tasks: listTasks(lists),
    templates: listTemplates(lists),
    'due-tasks': listDueTasks(lists),
    'panel-conversations': listPanelConversations(lists),
  } satisfies Partial<Queries>;
}

/** The rests of large pages. */
function restsOf({ scheduler }: Lists): Readonly<Record<string, AnyQuery>> {
  return {
    [CONTACTS.rest]: restOf(scheduler, CONTACTS),
    [CONVERSATIONS.rest]: restOf(scheduler, CONVERSATIONS),
    [PANEL_CONVERSATIONS.rest]: restOf(scheduler, PANEL_CONVERSATIONS),
    [MESSAGES.rest]: restOf(scheduler, MESSAGES),
    [DEALS.rest]: restOf(scheduler, DEALS),
    [TASKS.rest]: restOf(scheduler, TASKS),
    [TEMPLATES.rest]: restOf(scheduler, TEMPLATES),
  };
}

export function queriesOf(lists: Lists): Readonly<Record<string, AnyQuery>> {
  return { ...PLAIN, ...pagesOf(lists), ...restsOf(lists) };
}

export interface Served {
  readonly installation: InstallationRecord;
  /** Dependencies that are missing before every request can be answered. */
  readonly missing: () => Promise<readonly string[]>;
  readonly foregroundActivity?: Pick<ForegroundActivity, 'isContended'>;
}

export function serveQueries(environment: Environment, served: Served): void {
  startRetention(environment);
  const { bus, clock, log } = environment;
  const { foregroundActivity = new ForegroundActivity(clock) } = served;
  const queries = queriesOf({
    environment,
    recountRequests: new RecountRequests(environment),
    indexCache: new IndexCache(environment),
    scheduler: new OrganizationScheduler(PARTS, { clock, foregroundActivity }),
  });
  for (const [resource, query] of Object.entries(queries)) {
    bus.answerQueries(resource, async (payload): Promise<Answer> => {
      try {
        return await query(environment, payload);
      } catch (fault) {
        log.error({ resource, error: describe(fault) }, LOG_EVENT.queryFailed);
        return renderFailure({ kind: 'fault' });
      }
    });
  }
  bus.answerQueries('installation', async () => answerOf(served.installation));
  bus.answerQueries('ready', async () => answerOf({ missing: await served.missing() }));
}
