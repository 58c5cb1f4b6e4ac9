/** Construction of the kinds of actors that a process runs. */
import type { ActorKind } from '../shared/vocabulary.ts';
import { channelKind } from './channel/actor.ts';
import { ChannelAgenda } from './channel/agenda.ts';
import { contactKind } from './contact/actor.ts';
import { createFlowParts } from './conversation/flow/engine.ts';
import { conversationKind } from './conversation/kind.ts';
import { SnapshotWriter } from './conversation/log/snapshot-writer.ts';
import { DueMessages } from './conversation/schedule/due-messages.ts';
import { ScheduledCounts } from './conversation/schedule/scheduled-counts.ts';
import { dealKind } from './deal/actor.ts';
import type { Environment } from './environment.ts';
import { Audience } from './organization/audience.ts';
import { organizationKind } from './organization/kind.ts';
import { OrganizationViews } from './organization/views.ts';
import { Relay } from './outbox/relay.ts';
import { personKind } from './person/actor.ts';
import { DuePoller } from './runtime/due-poller.ts';
import type { Kind } from './runtime/kind.ts';
import { ForegroundActivity } from './runtime/organization-scheduler.ts';
import { subscriptionKind } from './subscription/actor.ts';
import { DeliveryAgenda } from './subscription/agenda.ts';
import { EventFanOut } from './subscription/fan-out.ts';
import { taskKind } from './task/kind.ts';

/** What other parts of the process use as well. */
interface Shared {
  readonly foregroundActivity?: ForegroundActivity;
  readonly views?: Pick<OrganizationViews, 'read'>;
  /** Called with the milliseconds from a change of an organization until all know of it. */
  readonly onChangeKnown?: (ms: number) => void;
  /** Called with the number of events that were recorded for subscribers. */
  readonly onEvents?: (count: number) => void;
  /** Called with the number of deals that were asked to follow a removed stage. */
  readonly onDealsFollowed?: (count: number) => void;
}

export function createKinds(
  environment: Environment,
  wanted: readonly ActorKind[],
  {
    foregroundActivity = new ForegroundActivity(environment.clock),
    views = new OrganizationViews(environment),
    onChangeKnown = () => undefined,
    onEvents = () => undefined,
    onDealsFollowed = () => undefined,
  }: Shared = {},
): readonly Kind[] {
  const duePoller = new DuePoller(environment);
  const deliveryAgenda = new DeliveryAgenda(environment, duePoller);
  const fanOut = new EventFanOut(environment, views, deliveryAgenda, onEvents);
  const relay = new Relay(environment, fanOut);
  const audience = new Audience(environment, views);
  const channelAgenda = new ChannelAgenda(environment, duePoller);
  const onAdmitted = (orgId: string) => foregroundActivity.recordCall(orgId);
  const isContended = (orgId: string) => foregroundActivity.isContended(orgId);
  const kinds = [
    organizationKind({ environment, onAdmitted, onChangeKnown, onDealsFollowed }, duePoller),
    contactKind({ environment, relay, audience }),
    conversationKind({
      environment,
      relay,
      audience,
      claimer: channelAgenda,
      snapshotWriter: new SnapshotWriter(environment),
      flows: createFlowParts(environment, relay, { duePoller, foregroundActivity }),
      dueMessages: new DueMessages(environment, duePoller, isContended),
      scheduledCounts: new ScheduledCounts(environment),
    }),
    channelKind(channelAgenda),
    dealKind({ environment, relay, views }),
    taskKind({ environment, relay }, duePoller),
    subscriptionKind(environment, deliveryAgenda),
    personKind(environment),
  ];
  return kinds.filter((kind) => wanted.includes(kind.kind));
}
