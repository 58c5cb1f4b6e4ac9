/**
 * The worst workloads of one organization with valid keys. A workload runs until it is stopped.
 * After a 429 it waits, as the contract requires.
 */
import { randomUUID } from 'node:crypto';
import pRetry, { AbortError } from 'p-retry';
import { floodWebhook } from './webhook-flood.ts';

/** The amount of each kind of data: all of it in a benchmark, some of it in a test. */
export interface Sizes {
  readonly contacts: number;
  readonly timers: number;
  readonly downloads: number;
}

export interface NoisyOrganization {
  readonly baseUrl: string;
  readonly tokens: readonly string[];
  readonly channelId: string;
  readonly fileId: string;
  readonly flows: Readonly<Record<string, string>>;
  readonly trickleUrl: string;
  readonly sizes: Sizes;
}

/** How often each status was answered. */
export type Answers = Map<number, number>;

interface WorkloadRun {
  readonly noisy: NoisyOrganization;
  readonly answers: Answers;
  /** Whether the act is to go on. */
  readonly on: () => boolean;
}

export interface NoisyWorkload {
  /** Of its organization. */
  readonly ref: string;
  readonly name: string;
  /** Creates the workload's data beforehand, without the limits. */
  prepare?(noisy: NoisyOrganization): Promise<void>;
  run(workloadRun: WorkloadRun): Promise<void>;
}

const LIMITED_MS = 100;
const AT_ONCE = 32;
const CONFLICT = 409;
/** With the rest of the contact just below 64 KiB. */
const FIELDS = 120;
const FIELD_CHARS = 500;

let turn = 0;

interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** An idempotency key belongs to the token of its first call. */
  readonly token: string;
  readonly idempotencyKey?: string;
}

function nextToken({ tokens }: NoisyOrganization): string {
  return tokens[turn++ % tokens.length] ?? '';
}

async function call(
  { baseUrl }: NoisyOrganization,
  { path, body, token, idempotencyKey }: Call,
): Promise<number> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-api-key': token,
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // Read whole and dropped, as a caller that does not care.
  for await (const _part of answer.body ?? []);
  return answer.status;
}

/** `atOnce` callers, each asking again as soon as it is answered. */
async function repeatedly(
  { noisy, answers, on }: WorkloadRun,
  atOnce: number,
  ask: (n: number) => readonly [path: string, body?: unknown],
): Promise<void> {
  let n = 0;
  const one = async (): Promise<void> => {
    while (on()) {
      const [path, body] = ask(n++);
      const status = await call(noisy, { path, body, token: nextToken(noisy) });
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 429) await new Promise((resume) => setTimeout(resume, LIMITED_MS));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

async function madeBefore(
  noisy: NoisyOrganization,
  count: number,
  ask: (n: number) => readonly [path: string, body?: unknown],
): Promise<void> {
  let n = 0;
  const one = async (): Promise<void> => {
    while (n < count) {
      const [path, body] = ask(n++);
      const token = nextToken(noisy);
      const making = { path, body, token, idempotencyKey: `made-${randomUUID()}` };
      await pRetry(() => make(noisy, making), { retries: 20, minTimeout: 100, factor: 1.3 });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** A slow machine may be late with an answer: the call is repeated, as the contract says. */
async function make(noisy: NoisyOrganization, making: Call): Promise<void> {
  const status = await call(noisy, making);
  if (status < 300) return;
  const fault = `${making.path} was answered ${status} while preparing`;
  // The try before may be under way still.
  throw status < 500 && status !== CONFLICT ? new AbortError(fault) : new Error(fault);
}

function phoneOf(n: number): string {
  return `+55 11 9${String(n % 10_000).padStart(4, '0')}-${1_000 + Math.floor(n / 10_000)}`;
}

/** Fields of a contact as large as contacts may be. */
function largestFields(n: number): Readonly<Record<string, string>> {
  const value = `${n}`.padEnd(FIELD_CHARS, 'x');
  return Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`campo-${at}`, value]));
}

const largestLists: NoisyWorkload = {
  ref: 'lists',
  name: 'lists of the largest contacts',
  prepare: (noisy) =>
    madeBefore(noisy, noisy.sizes.contacts, (n) => [
      '/api/v1/contacts',
      { phone: phoneOf(n), name: `Contato ${n}`, fields: largestFields(n) },
    ]),
  run: (workloadRun) => repeatedly(workloadRun, 3, () => ['/api/v1/contacts?limit=200']),
};

const searches: NoisyWorkload = {
  ref: 'searches',
  name: 'searches, each for something else',
  run: (workloadRun) =>
    repeatedly(workloadRun, 8, (n) => [`/api/v1/contacts?query=${n}&limit=200`]),
};

const tags: NoisyWorkload = {
  ref: 'tags',
  name: 'twenty new tags a call',
  run: (workloadRun) => {
    const run = Date.now();
    const tagsOf = (n: number) => Array.from({ length: 20 }, (_, at) => `t-${run}-${n}-${at}`);
    return repeatedly(workloadRun, 8, (n) => [
      '/api/v1/contacts',
      { phone: phoneOf(n % 50), tags: tagsOf(n) },
    ]);
  },
};

const campaign: NoisyWorkload = {
  ref: 'campaign',
  name: 'one file to everybody',
  run: (workloadRun) =>
    repeatedly(workloadRun, 16, (n) => {
      const { channelId, fileId } = workloadRun.noisy;
      return ['/api/v1/messages', { channelId, phone: phoneOf(n), mediaId: fileId }];
    }),
};

const downloads: NoisyWorkload = {
  ref: 'downloads',
  name: 'downloads of 100 MiB that trickle',
  run: (workloadRun) =>
    repeatedly(workloadRun, workloadRun.noisy.sizes.downloads, (n) => {
      const { channelId, trickleUrl } = workloadRun.noisy;
      return ['/api/v1/messages', { channelId, phone: phoneOf(n), mediaUrl: trickleUrl }];
    }),
};

const hanging: NoisyWorkload = {
  ref: 'hanging',
  name: 'subscribers that hang',
  run: (workloadRun) =>
    repeatedly(workloadRun, 8, (n) => ['/api/v1/tasks', { title: `Tarefa ${n}` }]),
};

export const webhookFlood: NoisyWorkload = {
  ref: 'flood',
  name: 'sixteen who post 4 MiB to a webhook',
  run: floodWebhook,
};

/** Its runs start each other, also when the act is over. */
export const echoes: NoisyWorkload = {
  ref: 'echoes',
  name: 'a flow that posts to itself',
  run: (workloadRun) => {
    const { channelId, flows } = workloadRun.noisy;
    return repeatedly(workloadRun, 8, (n) => [
      `/api/v1/flows/${flows.echo}/start`,
      { channelId, phone: phoneOf(n) },
    ]);
  },
};

/** Each start is one step that spends its whole budget. */
const death: NoisyWorkload = {
  ref: 'death',
  name: 'a flow of a hundred endless loops',
  run: (workloadRun) => {
    const { channelId, flows } = workloadRun.noisy;
    return repeatedly(workloadRun, 40, (n) => [
      `/api/v1/flows/${flows.death}/start`,
      { channelId, phone: phoneOf(n) },
    ]);
  },
};

/** Nothing is asked meanwhile: the runs are all due at the minute. */
export const timers: NoisyWorkload = {
  ref: 'timers',
  name: 'timers all due at one minute',
  prepare: (noisy) =>
    madeBefore(noisy, noisy.sizes.timers, (n) => [
      `/api/v1/flows/${noisy.flows.minute}/start`,
      { channelId: noisy.channelId, phone: phoneOf(n + 20_000) },
    ]),
  run: async ({ on }) => {
    while (on()) await new Promise((resume) => setTimeout(resume, LIMITED_MS));
  },
};

/** In the order of the benchmark; the minute of the timers comes last, when it comes. */
export const NOISY_WORKLOADS: readonly NoisyWorkload[] = [
  largestLists,
  searches,
  tags,
  campaign,
  downloads,
  hanging,
  webhookFlood,
  death,
  echoes,
];
