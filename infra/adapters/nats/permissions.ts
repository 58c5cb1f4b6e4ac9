/**
 * What each role of an installation says and hears on the bus, in the form of a NATS server's
 * configuration (https://docs.nats.io/running-a-nats-service/configuration/securing_nats/authorization).
 * A server that grants no more keeps a stolen gateway from answering for an actor, and from reading
 * what others are answered. What a role asks is not checked here: asks have no signature.
 */
import { PANELS_TOPIC } from '../../../shared/panel/operation.ts';
import {
  inboxSubject,
  LIVE_LISTENERS,
  LIVE_LISTENERS_WANTED,
  liveSubject,
  metricsSubject,
  OWNERS_CHANGED,
  prefixed,
  processSubject,
  querySubject,
  RESPONDERS_WANTED,
  SERVICES_PING,
  SUBJECT_ROOT,
  streamSubject,
  topicSubject,
} from '../../../shared/wire/subjects.ts';

/** `operator`: the command line, and the supervisor. */
export type BusRole = 'gateway' | 'panel' | 'actors' | 'sandbox' | 'operator';

interface Said {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** A user's `permissions`. */
export interface BusPermissions {
  readonly publish: { readonly allow: readonly string[] };
  readonly subscribe: { readonly allow: readonly string[] };
  /** Whatever it receives it may answer, once. */
  readonly allow_responses: true;
}

const EVERYTHING = `${SUBJECT_ROOT}.>`;
/** NATS's own: `nats micro list|info|stats`. */
const DISCOVERY = '$SRV.>';

/** What asks actors and processes, whichever. */
const ASKS = [`${SUBJECT_ROOT}.ask.>`, processSubject('*'), querySubject('*'), RESPONDERS_WANTED];
const METRICS = [SERVICES_PING, metricsSubject('*', '*')];

const OF_ROLE: Readonly<Record<BusRole, Said>> = {
  gateway: {
    publish: [...ASKS, `${SUBJECT_ROOT}.nudge.channel.>`],
    subscribe: [...discoverable('gateway'), streamSubject('*')],
  },
  panel: {
    publish: [...ASKS, ...METRICS, liveSubject('*', '*'), LIVE_LISTENERS, LIVE_LISTENERS_WANTED],
    subscribe: [
      ...discoverable('panel'),
      liveSubject('*', '*'),
      LIVE_LISTENERS,
      LIVE_LISTENERS_WANTED,
      topicSubject(PANELS_TOPIC),
    ],
  },
  actors: {
    publish: [EVERYTHING],
    subscribe: [
      ...discoverable('actors'),
      ...['ask.>', 'nudge.>', 'members.changed'].map((name) => `${SUBJECT_ROOT}.${name}`),
      ...[processSubject('*'), querySubject('*'), topicSubject('*')],
      ...[RESPONDERS_WANTED, LIVE_LISTENERS],
    ],
  },
  sandbox: { publish: ASKS, subscribe: answered('sandbox') },
  operator: {
    publish: [...ASKS, ...METRICS, topicSubject('*')],
    subscribe: answered('operator'),
  },
};

/** By role; `all` is one process's that starts every role, as `npm start` does. */
export type RolePermissions = Readonly<Record<BusRole | 'all', BusPermissions>>;

/** @param prefix `NATS_PREFIX`: two installations in one account say and hear nothing in common */
export function rolePermissions(prefix: string): RolePermissions {
  const everything: Said = {
    publish: [EVERYTHING, SERVICES_PING],
    subscribe: [EVERYTHING, DISCOVERY],
  };
  return {
    gateway: permissions(OF_ROLE.gateway, prefix),
    panel: permissions(OF_ROLE.panel, prefix),
    actors: permissions(OF_ROLE.actors, prefix),
    sandbox: permissions(OF_ROLE.sandbox, prefix),
    operator: permissions(OF_ROLE.operator, prefix),
    all: permissions(everything, prefix),
  };
}

function permissions({ publish, subscribe }: Said, prefix: string): BusPermissions {
  const named = (subject: string) => prefixed(subject, prefix);
  return {
    publish: { allow: publish.map(named) },
    subscribe: { allow: subscribe.map(named) },
    allow_responses: true,
  };
}

function answered(role: BusRole): readonly string[] {
  return [inboxSubject(role, '>'), OWNERS_CHANGED];
}

function discoverable(role: BusRole): readonly string[] {
  return [...answered(role), DISCOVERY, metricsSubject(role, '*')];
}
