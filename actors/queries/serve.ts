/** Which query answers which subject. Every process with actors answers all of them. */
import { renderFailure } from '../../shared/failures.ts';
import { LIST_PARTS_AT_ONCE } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Answer, InstallationRecord } from '../../shared/ports.ts';
import { claimCall, settleCall } from '../idempotency/calls.ts';
import { keepSweeping } from '../idempotency/sweeping.ts';
import { Foreground } from '../runtime/foreground.ts';
import { describe } from '../runtime/mailbox.ts';
import { OrganizationTurns } from '../runtime/organization-turns.ts';
import { SearchShelf } from '../search/shelf.ts';
import { TallyWishes } from '../tally/wishes.ts';
import type { World } from '../world.ts';
import type { Query } from './answer.ts';
import { checkChannel } from './channel-check.ts';
import { listChannels } from './channels.ts';
import { CONTACTS, listContacts } from './contacts.ts';
import { CONVERSATIONS, listConversations } from './conversations.ts';
import { DEALS, listDeals } from './deals.ts';
import { findDelivery, listDeliveries } from './deliveries.ts';
import { listFlows } from './flows.ts';
import { findContact, findConversation } from './found.ts';
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

/** Large parts under way. */
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
    ...restsOf(lists.turns),
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

/** What is left of pages that travel in parts. */
function restsOf(turns: OrganizationTurns): Readonly<Record<string, AnyQuery>> {
  return {
    [CONTACTS.rest]: restOf(turns, CONTACTS),
    [CONVERSATIONS.rest]: restOf(turns, CONVERSATIONS),
    [MESSAGES.rest]: restOf(turns, MESSAGES),
    [DEALS.rest]: restOf(turns, DEALS),
    [TASKS.rest]: restOf(turns, TASKS),
  };
}

export interface Served {
  readonly installation: InstallationRecord;
  /** What is missing before every request can be answered. */
  readonly missing: () => Promise<readonly string[]>;
  readonly foreground?: Pick<Foreground, 'isBeside'>;
}

export function serveQueries(world: World, served: Served): void {
  keepSweeping(world);
  const { foreground = new Foreground(world.clock) } = served;
  const queries = queriesOf({
    world,
    wishes: new TallyWishes(world),
    shelf: new SearchShelf(world),
    turns: new OrganizationTurns(PARTS, { clock: world.clock, foreground }),
  });
  for (const [resource, query] of Object.entries(queries)) {
    world.bus.answerQueries(resource, async (payload): Promise<Answer> => {
      try {
        return await query(world, payload);
      } catch (fault) {
        world.log.error({ resource, error: describe(fault) }, LOG_EVENT.queryFailed);
        return renderFailure({ kind: 'fault' });
      }
    });
  }
  world.bus.answerQueries('installation', () =>
    Promise.resolve({ status: 200, body: JSON.stringify(served.installation) }),
  );
  world.bus.answerQueries('ready', async () => ({
    status: 200,
    body: JSON.stringify({ missing: await served.missing() }),
  }));
}
