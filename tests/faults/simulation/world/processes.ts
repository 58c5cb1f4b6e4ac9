/** The processes of a world: the real actors and the real gateway on simulated ports. */
import {
  conversationPartitions,
  ReadBarrier,
} from '../../../../actors/conversation/log/read-barrier.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { createKinds } from '../../../../actors/kinds.ts';
import { LocalAdmission } from '../../../../actors/organization/local-admission.ts';
import { OrganizationViews } from '../../../../actors/organization/views.ts';
import { serveQueries } from '../../../../actors/queries/serve.ts';
import { Host } from '../../../../actors/runtime/host.ts';
import { journalBarrier } from '../../../../actors/runtime/journal-barrier.ts';
import { Membership } from '../../../../actors/runtime/membership.ts';
import { LoadShedder, trackedBus } from '../../../../gateway/bus.ts';
import { EventStreams } from '../../../../gateway/events/event-streams.ts';
import type { Gateway, Incoming } from '../../../../gateway/gateway.ts';
import { BodyReader, bodyBudgets } from '../../../../gateway/http/read-body.ts';
import type { Reply } from '../../../../gateway/http/respond.ts';
import { Installation } from '../../../../gateway/installation.ts';
import { serve } from '../../../../gateway/serve.ts';
import { NetworkThrottle } from '../../../../gateway/throttling/network-throttle.ts';
import { StreamLimiter } from '../../../../gateway/throttling/stream-limiter.ts';
import { Throttle } from '../../../../gateway/throttling/throttle.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { createVault } from '../../../../infra/adapters/secrets/vault.ts';
import { GenerationalCache } from '../../../../shared/generational-cache.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import { isLogEvent, LOG_EVENT } from '../../../../shared/log-events.ts';
import type { Ids } from '../../../../shared/ports/ids.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { Vault } from '../../../../shared/ports/vault.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import type { Store } from '../../../support/plain-store.ts';
import { UNHEARD } from '../../../support/unheard.ts';
import type { Coverage } from '../coverage.ts';
import type { SyncRegistry } from '../memory/registry.ts';
import type { MessagingNetwork } from '../outside/messaging-network.ts';
import type { SimulatedMailer } from '../outside/simulated-mailer.ts';
import type { SimulatedMedia } from '../outside/simulated-media.ts';
import type { Subscribers } from '../outside/subscribers.ts';
import { MachineBus } from './bus.ts';
import { type DatabaseLink, registryOf, storeOf } from './database-link.ts';
import type { ExecutionTrace } from './execution-trace.ts';
import type { FaultInjector } from './fault-injector.ts';
import { Machine } from './machine.ts';
import type { QueueObserver } from './queue-observer.ts';
import type { RateWindowObserver } from './rate-window-observer.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedBus } from './simulated-bus.ts';
import type { StreamObserver } from './stream-observer.ts';
import type { StreamPushes } from './stream-pushes.ts';

const SALT = Buffer.alloc(32, 7);
const INSTALLATION = { salt: SALT.toString('base64') };
const SECRETS_KEY = Buffer.alloc(32, 9).toString('base64');
/** Fast enough that a world sees the end of it, with the shape of C6.3: each wait is longer. */
const RETRY_SCHEDULE_MS = [300, 700, 1_500, 3_000, 6_000, 12_000];

const SETTINGS: Omit<Environment['settings'], 'streamWaitingMax'> = {
  ...{ publicUrl: 'http://recado.example', panelUrl: 'http://panel.example' },
  callsPerKey: 120,
  callsPerOrganization: 600,
  retrySchedule: RETRY_SCHEDULE_MS,
  eventHeaderPrefix: 'X-Service',
};

export interface SharedParts {
  readonly scheduler: Scheduler;
  readonly faults: FaultInjector;
  readonly trace: ExecutionTrace;
  readonly coverage: Coverage;
  readonly simulatedBus: SimulatedBus;
  readonly databaseLink: DatabaseLink;
  readonly registry: SyncRegistry;
  readonly network: MessagingNetwork;
  readonly subscribers: Subscribers;
  readonly media: SimulatedMedia;
  readonly mailer: SimulatedMailer;
  readonly windows: RateWindowObserver;
  readonly queues: QueueObserver;
  readonly streamPushes: StreamPushes;
  readonly streamObserver: StreamObserver;
  readonly streamWaitingMax: number;
  /** Sees what the actors ask of the record. */
  readonly watch: (store: Store) => Store;
  /** Names entities; its draws belong to no other part. */
  readonly naming: SeededRandom;
  /** Conversations have other owners than their channels, as where `ACTORS` splits the kinds. */
  readonly conversationsApart: boolean;
  readonly onLeaseLost: () => void;
  /** A programming error is a finding, even where other code swallows it. */
  readonly onBug: (what: string) => void;
}

/** Derived ids are the same in every world: each is found out once. */
const derived = createIds(SALT);
const deriveApart: Ids['derive'] = (prefix, ...parts) =>
  derived.derive(prefix.replace(/^cnv_.$/, 'cnv'), ...parts);
const FIVE_CHARS = 36 ** 5;

function fiveChars(naming: SeededRandom): string {
  return naming.below(FIVE_CHARS).toString(36).padStart(5, '0');
}

/** 22 characters, as real ones have: five by chance, so that their order says nothing. */
export function worldIds(naming: SeededRandom, conversationsApart: boolean): Ids {
  const own = fiveChars(naming) + fiveChars(naming);
  let made = 0;
  const fresh = (prefix: string): string => {
    const count = (++made).toString(36).padStart(7, '0');
    return `${prefix}_${fiveChars(naming)}${own}${count}`;
  };
  return { ...derived, fresh, ...(conversationsApart ? { derive: deriveApart } : {}) };
}

/** Conversations that lie apart have no channel's partition. */
const EVERY_PARTITION: ReadonlySet<number> = new Set(Array(PARTITIONS).keys());

const BUG = /TypeError|RangeError|ReferenceError|not known to the database/;

function logOf(name: string, shared: SharedParts): Log {
  const { trace, coverage, windows, queues, onLeaseLost, onBug } = shared;
  const note = (fields: Record<string, unknown>, message: string): void => {
    const error = String(fields.error ?? fields.cause ?? '');
    if (BUG.test(error)) onBug(`${name}: ${message}: ${error}`);
    if (isLogEvent(message, LOG_EVENT.leaseLost)) {
      coverage.count('happening lease lost');
      windows.disrupt();
      onLeaseLost();
    }
    if (isLogEvent(message, LOG_EVENT.sendLookedFor)) coverage.count('happening send in doubt');
    const { deliveryId, attempt, outcome, messageId, member } = fields;
    const named = [deliveryId, attempt, outcome, messageId, member].filter(
      (each) => each !== undefined,
    );
    trace.record(name, `${message} ${named.join(' ')} ${error.split('\n')[0] ?? ''}`);
  };
  const debug: Log['debug'] = (fields, message) => queues.logged(name, fields, message);
  return { debug, info: note, warn: note, error: note };
}

/** No random bytes in stored values: two runs of a seed write the same bytes. */
function vaultOf(): Vault {
  const real = createVault(SECRETS_KEY);
  return {
    seal: (plain, place) => JSON.stringify({ plain, place }),
    open: (sealed, place) => {
      const { plain, place: where } = JSON.parse(sealed);
      if (JSON.stringify(where) !== JSON.stringify(place)) throw new TypeError('another place');
      return plain;
    },
    sign: real.sign,
    freshSecret: () => 'whsec_c2ltdWxhdGVkLXNlY3JldC1vZi1hLXN1YnNjcmliZXI=',
  };
}

export interface ActorsProcess {
  readonly machine: Machine;
  readonly membership: Membership;
  readonly host: Host;
}

/** Starts one; it joins as soon as the record lets it. */
export function startActors(
  { name, weight }: { readonly name: string; readonly weight: number },
  skewMs: number,
  shared: SharedParts,
): ActorsProcess {
  const { scheduler, faults, simulatedBus, databaseLink, coverage } = shared;
  const machine = new Machine(name, scheduler, skewMs);
  const { clock } = machine;
  const log = logOf(name, shared);
  const bus = new MachineBus(machine, simulatedBus);
  const registry = registryOf(machine, databaseLink, shared.registry);
  const membership = new Membership({
    ...{ registry, bus, clock, log },
    kinds: ACTOR_KINDS,
    weight,
    pid: 1,
    processId: name,
    onTakeOver: () => coverage.count('happening take-over'),
  });
  const store = shared.watch(shared.queues.watched(name, storeOf(machine, databaseLink)));
  const environment: Environment = {
    bus,
    store,
    clock,
    random: faults.random.branch(),
    ids: worldIds(shared.naming.branch(), shared.conversationsApart),
    log,
    networks: shared.network.networksFor(machine),
    outbound: shared.subscribers.outboundFor(machine),
    media: shared.media.mediaFor(machine),
    vault: vaultOf(),
    mailer: shared.mailer.mailerFor(machine, scheduler, faults),
    settings: { ...SETTINGS, streamWaitingMax: shared.streamWaitingMax },
    ...{ live: UNHEARD, streams: shared.streamPushes.publisherFor(machine) },
    readBarrier: new ReadBarrier({ bus, clock }, (orgId) =>
      shared.conversationsApart
        ? Promise.resolve(EVERY_PARTITION)
        : conversationPartitions(store, orgId),
    ),
    leaseHeld: () => machine.up && membership.leaseHeld(),
    members: {
      own: () => membership.memberId,
      live: async () => (await registry.liveMembers()).map(({ id }) => id),
    },
  };
  const views = new OrganizationViews(environment);
  const admission = new LocalAdmission({ environment, views, onAdmitted: () => undefined });
  const host = new Host({
    bus,
    clock,
    log,
    kinds: createKinds(environment, ACTOR_KINDS, { views }),
    admit: (attached, ask) => admission.admit(attached, ask),
    leaseHeld: () => machine.up && membership.leaseHeld(),
    journalBarrier: () => journalBarrier(environment.store),
    onTurn: (ask) => {
      if (ask.repeat) coverage.count('happening repeat answered');
    },
  });
  serveQueries(environment, { installation: INSTALLATION, missing: () => Promise.resolve([]) });
  void startMember(machine, membership, host);
  return { machine, membership, host };
}

/** As a supervisor would, until the record answers. */
async function startMember(machine: Machine, membership: Membership, host: Host): Promise<void> {
  for (;;) {
    try {
      await membership.start(host);
      return;
    } catch {
      await new Promise<void>((resume) => machine.clock.after(200, resume));
    }
  }
}

/** By any network: the drivers of a world verify nothing. */
const SIGNED = {
  'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
  'x-webhook-hmac': '0'.repeat(128),
};

export interface Call {
  readonly method: 'GET' | 'POST';
  /** With the query after a question mark. */
  readonly path: string;
  readonly key: string | null;
  readonly body?: unknown;
  /** Bytes in place of a body that is JSON. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Replied {
  readonly status: number;
  readonly body: string;
}

export interface GatewayProcess {
  readonly machine: Machine;
  /** Never resolves when the process dies meanwhile. */
  call(call: Call): Promise<Replied>;
  /** As `call`; the body is read by the caller. */
  open(call: Call): Promise<Opened>;
}

export interface Opened {
  readonly requestId: string;
  /** Null where the caller has gone. */
  readonly reply: Reply | null;
}

export function startGatewayProcess(
  name: string,
  skewMs: number,
  shared: SharedParts,
): GatewayProcess {
  const machine = new Machine(name, shared.scheduler, skewMs);
  const { clock } = machine;
  const ids = worldIds(shared.naming.branch(), shared.conversationsApart);
  const loadShedder = new LoadShedder(clock);
  const installation = new Installation(clock);
  installation.learn(ids);
  const bus = new MachineBus(machine, shared.simulatedBus);
  const parts = { clock, log: logOf(name, shared), freshId: ids.fresh };
  const tracked = trackedBus(bus, loadShedder);
  const gateway: Gateway = {
    ...{ ...parts, installation, loadShedder },
    bus: tracked,
    networkThrottle: new NetworkThrottle(tracked, clock),
    keys: new GenerationalCache(100),
    lookUps: new Map(),
    throttle: new Throttle(clock),
    bodies: bodyBudgets(),
    uploads: bodyBudgets(),
    streamLimiter: new StreamLimiter(clock),
    eventStreams: new EventStreams({
      ...{ ...SETTINGS, ...parts },
      bus: shared.streamObserver.watched(bus),
    }),
    ...{ document: '{}', publicOrigin: null },
  };
  gateway.eventStreams.connect(shared.streamPushes.listenerFor(machine));
  const reach = <T>(call: Call, read: (incoming: Incoming) => Promise<T>): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    shared.scheduler.after(0.2, () =>
      machine.reach(() => {
        void read(incomingOf(call, ids)).then((answered) => {
          shared.scheduler.after(0.2, () => machine.reach(() => resolve(answered)));
        });
      }),
    );
    return promise;
  };
  return {
    machine,
    call: (call) => reach(call, (incoming) => read(serve(gateway, incoming, {}))),
    open: (call) =>
      reach(call, async (incoming) => ({
        requestId: incoming.requestId,
        reply: await serve(gateway, incoming, {}),
      })),
  };
}

/** As a caller's client reads it: of a body that breaks off there is no answer. */
async function read(answered: Promise<Reply | null>): Promise<Replied> {
  const reply = await answered;
  if (!reply?.stream) return reply ?? { status: 0, body: '' };
  const parts: Uint8Array[] = [];
  try {
    for await (const part of reply.stream.chunks) parts.push(part);
    return { status: reply.status, body: Buffer.concat(parts).toString() };
  } catch {
    return { status: 0, body: '' };
  } finally {
    reply.stream.end();
  }
}

function incomingOf(call: Call, ids: Ids): Incoming {
  const [path = '', query = ''] = call.path.split('?');
  return {
    method: call.method,
    path,
    query,
    authorization: '',
    apiKey: call.key ?? '',
    requestId: ids.fresh('req'),
    headers: () => (path.startsWith('/networks/') ? SIGNED : (call.headers ?? {})),
    whilePaused: (work) => work(),
    remoteAddress: () => '192.0.2.1',
    body(maxBytes, budget) {
      const reader = new BodyReader(maxBytes, budget);
      const bytes = call.bytes ?? Buffer.from(JSON.stringify(call.body ?? {}));
      reader.push(new Uint8Array(bytes).buffer, true);
      return reader;
    },
    close: () => undefined,
  };
}
