/**
 * The worst workloads of one organization with valid keys. A workload runs until it is stopped.
 * After a 429 it waits, as the contract requires.
 */
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
/** With the rest of the contact just below 64 KiB. */
const FIELDS = 120;
const FIELD_CHARS = 500;

let turn = 0;

async function call(noisy: NoisyOrganization, path: string, body?: unknown): Promise<number> {
  const token = noisy.tokens[turn++ % noisy.tokens.length] ?? '';
  const answer = await fetch(`${noisy.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
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
      const status = await call(noisy, ...ask(n++));
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
      const status = await call(noisy, path, body);
      if (status >= 300) throw new Error(`${path} was answered ${status} while preparing`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
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
  echoes,
];
