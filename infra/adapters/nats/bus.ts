/** The bus over core NATS: transport, never record. */
import { connect, Events, type Msg, type NatsConnection } from 'nats';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { ProcessExposition } from '../../../shared/panel/operation.ts';
import type {
  Address,
  Answer,
  AskOptions,
  Command,
  CommandOf,
  IncomingAsk,
  OwnerBus,
} from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { LiveHints } from '../../../shared/ports/live.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { Metrics } from '../../../shared/ports/metrics.ts';
import {
  inboxSubject,
  MEMBERS_CHANGED,
  OWNERS_CHANGED,
  ownerSubject,
  type Partition,
  partitionName,
  partitionOf,
  prefixed,
  processSubject,
  querySubject,
  RESPONDERS_WANTED,
  SUBJECT_ROOT,
  topicSubject,
} from '../../../shared/wire/subjects.ts';
import { connectWithRetry, loggedWaitReporter } from '../log/connect-with-retry.ts';
import type { AwaitedServer, WaitReporter } from '../log/wait-reporter.ts';
import { type NatsSettings, natsHosts } from './access.ts';
import { InstallationWire } from './connection.ts';
import { connectionOptions } from './connection-options.ts';
import { type Discoverable, readMetrics, registerService } from './discovery.ts';
import { type AskItem, Responder } from './envelope.ts';
import { translated } from './failure.ts';
import { HintListener, HintPublisher } from './live.ts';
import { Mux } from './mux.ts';
import type { NetworkBus } from './network-bus.ts';
import { OwnedSubjects } from './owned-subjects.ts';
import type { BusRole } from './permissions.ts';
import { StreamPushes } from './streams.ts';

const RECONNECT_MS = 100;
const GRACE_MS = 2_000;
const QUERY_GROUP = 'query';

export interface BusSettings extends NatsSettings {
  /** An operator's command where nothing is said. */
  readonly role?: BusRole;
  readonly clock: Clock;
  readonly log: Log;
  /** Unique in the installation, of `A-Za-z0-9_-`. */
  readonly processId: string;
  readonly metrics?: Pick<Metrics, 'ask' | 'askFailed' | 'hedged'>;
  /** Ends the tries to connect. */
  readonly signal?: AbortSignal;
}

/** Connects, waiting for the server with log lines while it is missing. */
function connectNats(settings: BusSettings): Promise<NatsConnection> {
  const { natsUrl, natsPrefix: prefix = SUBJECT_ROOT, role = 'operator', processId } = settings;
  const options = {
    ...connectionOptions(settings),
    // A server that has just been given other accounts may know us a moment later.
    ignoreAuthErrorAbort: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    noAsyncTraces: true,
    timeout: 2_000,
    pingInterval: 5_000,
    maxPingOut: 2,
    inboxPrefix: prefixed(`${inboxSubject(role, processId)}.request`, prefix),
  };
  const discard = (connection: NatsConnection) => connection.close();
  const waiting = { ...settings, discard };
  return connectWithRetry(serverAt(natsUrl), waiting, () => translated(connect(options)));
}

function serverAt(natsUrl: string): AwaitedServer {
  return { name: 'the NATS server', where: natsHosts(natsUrl) };
}

class NatsBus implements NetworkBus {
  readonly #connection: NatsConnection;
  readonly #wire: InstallationWire;
  readonly #mux: Mux;
  readonly #responder: Responder;
  readonly #owned = new Map<string, Parameters<OwnerBus['own']>[1]>();
  readonly #ownedSubjects: OwnedSubjects;
  /** By subject. */
  readonly #queries = new Map<string, (payload: unknown) => Promise<Answer>>();
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #processId: string;
  #answersByName = false;
  #lostAt: number | null = null;
  #listener: HintListener | null = null;

  constructor(connection: NatsConnection, settings: BusSettings) {
    this.#connection = connection;
    this.#log = settings.log;
    this.#clock = settings.clock;
    this.#processId = settings.processId;
    const { natsPrefix: prefix = SUBJECT_ROOT, role = 'operator', processId } = settings;
    this.#wire = new InstallationWire(connection, { prefix, role, processId });
    this.#mux = new Mux(this.#wire, settings.clock, settings);
    this.#responder = new Responder(this.#wire, settings.processId);
    this.#ownedSubjects = new OwnedSubjects(this.#wire, {
      onAsks: (message) => this.#receive(message),
      onNudge: (partition, message) =>
        this.#owned.get(partitionName(partition))?.nudge(message.json()),
    });
    void this.#watch(settings.natsUrl);
  }

  ask(address: Address, command: Command, options: AskOptions): Promise<Answer> {
    const partition = { kind: address.kind, number: partitionOf(address.kind, address.key) };
    const local = this.#owned.get(partitionName(partition));
    return local
      ? this.#askLocally(local.ask, { address, command, options })
      : this.#mux.ask(address, command, options);
  }

  query(resource: string, payload: unknown, options: AskOptions): Promise<Answer> {
    return this.#mux.query(resource, payload, options);
  }

  nudge(address: Address, payload: unknown): void {
    const partition = { kind: address.kind, number: partitionOf(address.kind, address.key) };
    const local = this.#owned.get(partitionName(partition));
    if (local) local.nudge(payload);
    else this.#wire.publish(ownerSubject('nudge', partition), JSON.stringify(payload));
  }

  /** A server that reconnects at once counts as connected: messages published meanwhile wait. */
  connected(): boolean {
    return this.#lostAt === null || this.#clock.monotonic() - this.#lostAt < GRACE_MS;
  }

  own(partition: Partition, on: Parameters<OwnerBus['own']>[1]): () => void {
    this.#answerByName();
    const name = partitionName(partition);
    this.#owned.set(name, on);
    this.#ownedSubjects.add(partition);
    return () => {
      this.#owned.delete(name);
      this.#ownedSubjects.remove(partition);
    };
  }

  /** Of the queue group, and of this process by name. */
  answerQueries(resource: string, answer: (payload: unknown) => Promise<Answer>): void {
    const subject = querySubject(resource);
    this.#answerByName();
    if (this.#queries.size === 0) this.#presentAsResponder();
    this.#queries.set(subject, answer);
    this.#wire.subscribe(subject, {
      queue: QUERY_GROUP,
      callback: (error, message) => {
        if (!error) this.#receive(message);
      },
    });
  }

  askAll(topic: string, onAnswer: (answer: unknown) => void, payload?: unknown): () => void {
    const reply = this.#wire.newInbox();
    const answers = this.#wire.subscribe(reply, {
      callback: (error, message) => {
        // "No responders" is an empty message: no process answers this topic yet.
        if (!error && message.data.length > 0) onAnswer(message.json());
      },
    });
    const asked = payload === undefined ? '' : JSON.stringify(payload);
    this.#wire.publish(topicSubject(topic), asked, { reply });
    return () => answers.unsubscribe();
  }

  answerAll(topic: string, answer: (payload: unknown) => Promise<unknown>): void {
    this.#wire.subscribe(topicSubject(topic), {
      callback: (error, message) => {
        if (error) return;
        answer(message.data.length > 0 ? message.json() : undefined).then(
          (answer) => answer !== undefined && message.respond(JSON.stringify(answer)),
          (cause: unknown) => this.#log.warn({ topic, error: String(cause) }, 'no answer given'),
        );
      },
    });
  }

  announceMembers(to: readonly string[] = []): void {
    this.#wire.publish(MEMBERS_CHANGED, to.join(' '));
  }

  /** The subscriptions of what was acquired in this tick are made first. */
  announceOwners(): void {
    queueMicrotask(() => this.#wire.publish(OWNERS_CHANGED));
  }

  onMembersAnnounced(onChange: (to: readonly string[] | null) => void): void {
    this.#wire.subscribe(MEMBERS_CHANGED, {
      callback: (error, message) => {
        if (error) return;
        const to = message.string();
        onChange(to === '' ? null : to.split(' '));
      },
    });
  }

  registerService(service: Discoverable): Promise<void> {
    return registerService(this.#discovery(), service);
  }

  readMetrics(): Promise<readonly ProcessExposition[]> {
    return readMetrics(
      this.#discovery(),
      (ms) => new Promise((resume) => this.#clock.after(ms, resume)),
    );
  }

  hintPublisher(): LiveHints {
    return new HintPublisher(this.#wire, { clock: this.#clock, log: this.#log });
  }

  streamPushes(): StreamPushes {
    return new StreamPushes(this.#wire);
  }

  hintListener(): HintListener {
    const settings = { clock: this.#clock, processId: this.#processId };
    this.#listener = new HintListener(this.#wire, settings);
    return this.#listener;
  }

  async close(): Promise<void> {
    this.#mux.close();
    await this.#connection.drain();
  }

  #receive(message: Msg): void {
    const reply = message.reply ?? '';
    for (const item of this.#responder.receive(message, this.#clock.now())) {
      if (item.kind === '') {
        this.#answerQuery(reply, item);
        continue;
      }
      const ask = this.#responder.incoming(item, reply);
      if (!ask) continue;
      const { kind, key } = ask.address;
      const owner = this.#owned.get(partitionName({ kind, number: partitionOf(kind, key) }));
      if (owner) owner.ask(ask);
      else ask.answer(null);
    }
  }

  /** Asks to this process whichever way they find it. One that only asks hears none. */
  #answerByName(): void {
    if (this.#answersByName) return;
    this.#answersByName = true;
    this.#wire.subscribe(processSubject(this.#processId), {
      callback: (error, message) => {
        if (!error) this.#receive(message);
      },
    });
  }

  #discovery() {
    return { connection: this.#connection, wire: this.#wire };
  }

  #presentAsResponder(): void {
    this.#responder.queries = true;
    this.#wire.subscribe(RESPONDERS_WANTED, {
      callback: (error, message) => {
        if (!error && message.reply) this.#responder.present(message.reply);
      },
    });
  }

  #answerQuery(reply: string, item: AskItem): void {
    const { key: subject, n } = item;
    const answer = this.#queries.get(subject);
    if (!answer) return this.#responder.answer(reply, n, null);
    const done = this.#responder.begin(reply, item, this.#clock.now());
    if (!done) return;
    answer(item.command).then(
      (found) => {
        done();
        this.#responder.answer(reply, n, found);
      },
      (cause: unknown) => {
        // Its asker repeats, or fails: other asks must not be affected.
        done();
        this.#log.warn({ subject, error: String(cause) }, 'no answer given');
      },
    );
  }

  /** Asks of an actor that lives in this very process need no server between them. */
  #askLocally(
    owner: (ask: IncomingAsk) => void,
    asked: { readonly address: Address; readonly command: Command; readonly options: AskOptions },
  ): Promise<Answer> {
    const { address, command, options } = asked;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    owner({
      address,
      command: command as CommandOf,
      deadline: options.deadline,
      requestId: options.requestId,
      repeat: options.repeat === true,
      admission: options.admission,
      answer: (answer) => {
        if (answer) resolve(answer);
        // An owner that has lost its lease may have run it.
        else this.#mux.ask(address, command, { ...options, repeat: true }).then(resolve, reject);
      },
    });
    return promise;
  }

  async #watch(natsUrl: string): Promise<void> {
    let waitReporter: WaitReporter | null = null;
    for await (const status of this.#connection.status()) {
      if (status.type === Events.Disconnect) {
        this.#lostAt ??= this.#clock.monotonic();
        waitReporter ??= loggedWaitReporter(serverAt(natsUrl), this.#log);
        this.#log.warn({}, 'lost the NATS server, reconnecting');
      } else if (status.type === Events.Reconnect) {
        this.#lostAt = null;
        waitReporter?.answered();
        waitReporter = null;
        this.#log.info({}, 'connected to the NATS server again');
        this.#listener?.reconnected();
      } else if (status.permissionContext !== undefined) {
        // The part of the service behind it stands still until the server grants more.
        this.#log.error({ ...status.permissionContext }, LOG_EVENT.busPermissionMissing);
      }
    }
    waitReporter?.stop();
  }
}

export async function connectBus(settings: BusSettings): Promise<NetworkBus> {
  return new NatsBus(await connectNats(settings), settings);
}
