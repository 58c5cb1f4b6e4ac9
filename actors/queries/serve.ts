/** Registry of queries: every process with actors answers all of them. */
import { renderFailure } from '../../shared/failures.ts';
import { LIST_PARTS_AT_ONCE } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { InstallationRecord } from '../../shared/ports/ids.ts';
import { RecountRequests } from '../counters/recount-request.ts';
import type { Environment } from '../environment.ts';
import { claimCall, settleCall } from '../idempotency/calls.ts';
import { startRetention } from '../idempotency/retention.ts';
import { describe } from '../runtime/describe-fault.ts';
import { ForegroundActivity } from '../runtime/foreground-activity.ts';
import { OrganizationScheduler } from '../runtime/organization-scheduler.ts';
import { IndexCache } from '../search/index-cache.ts';
import type { Query } from './answer.ts';
import { checkChannel } from './channel-check.ts';
import { listChannels } from './channels.ts';
import { CONTACTS, listContacts } from './contacts.ts';
import { CONVERSATIONS, listConversations } from './conversations.ts';
import { DEALS, listDeals } from './deals.ts';
import { findDelivery, listDeliveries } from './deliveries.ts';
import { findContact, findConversation } from './find-one.ts';
import { listFlows } from './flows.ts';
import { findFlow, findInboundWebhook } from './inbound.ts';
import {
  findKey,
  findKeyOwner,
  findKeys,
  listOrganizations,
  listSandboxChannels,
} from './installation.ts';
import { listLibrary, readMedia } from './media.ts';
import { listMessages, MESSAGES } from './messages.ts';
import type { Lists } from './page.ts';
import { restOf } from './parts.ts';
import { listPipelines } from './pipelines.ts';
import { listTags } from './tags.ts';
import { listTasks, TASKS } from './tasks.ts';

/** Large parts in flight. */
const PARTS = { perOrganization: LIST_PARTS_AT_ONCE, perProcess: LIST_PARTS_AT_ONCE };

// biome-ignore lint/suspicious/noExplicitAny: each query states its own payload
type AnyQuery = Query<any>;

export function queriesOf(lists: Lists): Readonly<Record<string, AnyQuery>> {
  return {
    'channel-check': checkChannel,
    channels: listChannels,
    contacts: listContacts(lists),
    conversations: listConversations(lists),
    messages: listMessages(lists),
    pipelines: listPipelines,
    deals: listDeals(lists),
    tasks: listTasks(lists),
    ...restsOf(lists.scheduler),
    contact: findContact,
    conversation: findConversation,
    deliveries: listDeliveries,
    delivery: findDelivery,
    flow: findFlow,
    flows: listFlows,
    'idempotency-claim': claimCall,
    'idempotency-settle': settleCall,
    'inbound-webhook': findInboundWebhook,
    key: findKey,
    keys: findKeys,
    library: listLibrary,
    media: readMedia,
    'key-owner': findKeyOwner,
    organizations: listOrganizations,
    'sandbox-channels': listSandboxChannels,
    tags: listTags,
  };
}

/** The queries for the rests of pages that are answered in parts. */
function restsOf(scheduler: OrganizationScheduler): Readonly<Record<string, AnyQuery>> {
  return {
    [CONTACTS.rest]: restOf(scheduler, CONTACTS),
    [CONVERSATIONS.rest]: restOf(scheduler, CONVERSATIONS),
    [MESSAGES.rest]: restOf(scheduler, MESSAGES),
    [DEALS.rest]: restOf(scheduler, DEALS),
    [TASKS.rest]: restOf(scheduler, TASKS),
  };
}

export interface Served {
  readonly installation: InstallationRecord;
  /** Dependencies that are missing before every request can be answered. */
  readonly missing: () => Promise<readonly string[]>;
  readonly foregroundActivity?: Pick<ForegroundActivity, 'isContended'>;
}

export function serveQueries(environment: Environment, served: Served): void {
  startRetention(environment);
  const { foregroundActivity = new ForegroundActivity(environment.clock) } = served;
  const queries = queriesOf({
    environment,
    recountRequests: new RecountRequests(environment),
    indexCache: new IndexCache(environment),
    scheduler: new OrganizationScheduler(PARTS, { clock: environment.clock, foregroundActivity }),
  });
  for (const [resource, query] of Object.entries(queries)) {
    environment.bus.answerQueries(resource, async (payload): Promise<Answer> => {
      try {
        return await query(environment, payload);
      } catch (fault) {
        environment.log.error({ resource, error: describe(fault) }, LOG_EVENT.queryFailed);
        return renderFailure({ kind: 'fault' });
      }
    });
  }
  environment.bus.answerQueries('installation', () =>
    Promise.resolve({ status: 200, body: JSON.stringify(served.installation) }),
  );
  environment.bus.answerQueries('ready', async () => ({
    status: 200,
    body: JSON.stringify({ missing: await served.missing() }),
  }));
}
