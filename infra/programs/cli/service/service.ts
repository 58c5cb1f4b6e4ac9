/**
 * The running service as the command line sees it: a bus, and the ids of the installation.
 *
 * 1. Nothing is started from here: a service that is not there is waited for, and then named in
 *    one sentence.
 * 2. While waiting, `run.json` is read again: a service that starts anew may have moved.
 */
import * as v from 'valibot';
import { ASK_DEADLINE_MS } from '../../../../shared/limits.ts';
import {
  type Address,
  type Answer,
  AskFailed,
  type Command,
  type CommandOf,
} from '../../../../shared/ports/bus.ts';
import type { Ids } from '../../../../shared/ports/ids.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { AnswerRest } from '../../../../shared/wire/answer-rest.ts';
import type { PayloadOf, Resource } from '../../../../shared/wire/query-map.ts';
import { systemClock } from '../../../adapters/clock/clock.ts';
import { freshId, idsOf } from '../../../adapters/ids/ids.ts';
import type { MongoConnection } from '../../../adapters/mongo/client.ts';
import type { NatsSettings } from '../../../adapters/nats/access.ts';
import { connectBus } from '../../../adapters/nats/bus.ts';
import type { Config } from '../../../config/config.ts';
import { readAnswer } from './answer.ts';
import { ServiceFailed } from './failure.ts';
import { natsOf, readRunFile } from './run-file.ts';

const POLL_MS = 200;
const WARN_AFTER_MS = 1_000;

/** How long a service that is not there is waited for. */
export const TIMEOUT_MS = 10_000;

/** A command that may lack an id. */
export type CommandDraft = Draft<CommandOf>;
type Draft<Known> = Known extends Command ? Omit<Known, 'id'> & { readonly id?: string } : never;

export interface Service {
  readonly ids: Ids;
  /** Asks an actor; the command gets an id unless it has one. */
  ask(address: Address, command: CommandDraft): Promise<Answer>;
  query<Each extends Resource>(resource: Each, payload: PayloadOf<Each>): Promise<Answer>;
  /** Asks every process that answers on the topic, until the returned function is called. */
  askAll(topic: string, onAnswer: (answer: unknown) => void): () => void;
  /** The database of the library's files. */
  connectDatabase(): Promise<MongoConnection>;
  /** Address of the bundled simulator, with its token. */
  simulatorUrl(): Promise<string>;
  close(): Promise<void>;
}

export type OpenBus = Awaited<ReturnType<typeof connectBus>>;

interface Pending {
  readonly url: string;
  readonly bus: Promise<OpenBus>;
}

export interface OpenOptions {
  readonly config: Config;
  readonly log: Log;
  readonly timeoutMs: number;
  /** Aborted at the end: what is open, or still being tried, is closed. */
  readonly signal?: AbortSignal;
}

function pause(ms: number): Promise<null> {
  return new Promise((resume) => setTimeout(resume, ms, null));
}

function serviceUnavailable(config: Config, cause?: unknown): ServiceFailed {
  const where = config.natsUrl === undefined ? `of ${config.dataDir}` : 'at NATS_URL';
  return new ServiceFailed(
    `The service ${where} is not there. Start it with "npm start", or name it in NATS_URL.`,
    { cause },
  );
}

function connectTo(nats: NatsSettings, { log, signal }: OpenOptions): Promise<OpenBus> {
  const processId = freshId('cli');
  const named = { ...nats, clock: systemClock, log, processId };
  const bus = connectBus({ ...named, ...(signal && { signal }) });
  // One that its command has closed refuses to be closed again.
  const end = () => void bus.then((open) => open.close()).catch(() => undefined);
  signal?.addEventListener('abort', end, { once: true });
  return bus;
}

/**
 * Connects to wherever the service is now; the connection to where it was is left behind.
 * @throws {ServiceFailed} when no server is there in time
 */
export async function reachBus(options: OpenOptions): Promise<OpenBus> {
  const { config, log, timeoutMs } = options;
  const startedAt = performance.now();
  let pending: Pending | undefined;
  // A short wait is not reported.
  let warned = timeoutMs < WARN_AFTER_MS;
  while (performance.now() - startedAt < timeoutMs) {
    const nats = natsOf(config, config.natsUrl ? null : await readRunFile(config.dataDir));
    if (nats !== null && pending?.url !== nats.natsUrl) {
      pending = { url: nats.natsUrl, bus: connectTo(nats, options) };
    }
    const bus: OpenBus | null = await Promise.race([pending?.bus ?? null, pause(POLL_MS)]);
    if (bus) return bus;
    if (!pending) await pause(POLL_MS);
    if (!warned && performance.now() - startedAt > WARN_AFTER_MS) {
      warned = true;
      log.warn({}, 'waiting for the service');
    }
  }
  throw serviceUnavailable(config);
}

const installationSchema = v.object({ salt: v.pipe(v.string(), v.base64()) });

async function installationIds(bus: OpenBus, deadline: number): Promise<Ids> {
  const answer = await bus.query('installation', {}, { deadline });
  return idsOf(readAnswer(installationSchema, answer));
}

/**
 * Waits up to `patienceMs` for the service.
 * @throws {ServiceFailed} when it is not there
 */
export async function openService(options: OpenOptions): Promise<Service> {
  const { config, log } = options;
  const until = systemClock.now() + options.timeoutMs;
  const bus = await reachBus(options);
  const waiting = setTimeout(
    () => log.warn({}, 'waiting for the service to answer'),
    WARN_AFTER_MS,
  );
  try {
    const ids = await installationIds(bus, Math.max(until, systemClock.now() + POLL_MS));
    return createService(bus, ids, options);
  } catch (cause) {
    throw cause instanceof AskFailed ? serviceUnavailable(config, cause) : cause;
  } finally {
    clearTimeout(waiting);
  }
}

/** An answer that comes in parts, put together: a command prints one value. */
async function wholeAnswer(
  bus: Pick<OpenBus, 'query'>,
  asked: AnswerRest,
  deadline: () => number,
): Promise<Answer> {
  const bodies: string[] = [];
  for (let next = asked; ; ) {
    const { rest, ...answer } = await bus.query(next.resource, next.payload, {
      deadline: deadline(),
    });
    if (answer.status !== 200) return answer;
    bodies.push(answer.body);
    if (!rest) return { ...answer, body: bodies.join('') };
    next = rest;
  }
}

function createService(bus: OpenBus, ids: Ids, { config, log }: OpenOptions): Service {
  const deadline = (): number => systemClock.now() + ASK_DEADLINE_MS;
  return {
    ids,
    ask: (address, command) =>
      bus.ask(address, { id: ids.fresh('cmd'), ...command }, { deadline: deadline() }),
    askAll: (topic, onAnswer) => bus.askAll(topic, onAnswer),
    query: (resource, payload) => wholeAnswer(bus, { resource, payload }, deadline),
    async connectDatabase() {
      const url = config.mongodbUrl ?? (await readRunFile(config.dataDir))?.mongodbUrl;
      if (url === undefined) {
        throw new ServiceFailed('Files need the record: name it in MONGODB_URL.');
      }
      const { connectMongo, describeDatabase, refuseSchema } = await import('./database.ts');
      const mongo = await connectMongo(url, log);
      const refusal = await refuseSchema(mongo.db, describeDatabase(mongo.db, url, config));
      if (refusal === null) return mongo;
      await mongo.client.close();
      throw new ServiceFailed(refusal.refused);
    },
    async simulatorUrl() {
      const url = config.sandboxUrl ?? (await readRunFile(config.dataDir))?.sandboxUrl;
      if (url !== undefined) return url;
      throw new ServiceFailed(
        `The simulator is not known: ${config.dataDir} has no run.json that names it.`,
      );
    },
    close: () => bus.close(),
  };
}
