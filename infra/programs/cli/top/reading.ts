/**
 * What `recado top` reads at one moment: metrics of every process, reports of the actors
 * processes, and what waits in the record. Whatever does not answer is left out and named.
 */
import * as v from 'valibot';
import { type Series, seriesIn } from '../../../../shared/metrics/samples.ts';
import { AskFailed } from '../../../../shared/ports/bus.ts';
import type { AgendaBacklog } from '../../../../shared/wire/operator-queries.ts';
import type { PayloadOf, Resource } from '../../../../shared/wire/query-map.ts';
import { systemClock } from '../../../adapters/clock/clock.ts';
import { gatherReports, membersSchema } from '../installation/actors.ts';
import { readAnswer } from '../service/answer.ts';
import { ServiceFailed } from '../service/failure.ts';
import type { OpenBus } from '../service/service.ts';

/** A process that is well answers within moments. */
const DEADLINE_MS = 2_000;

const loadsSchema = v.array(
  v.object({ key: v.string(), turnsPerSecond: v.number(), busy: v.number() }),
);
/** A process of an older release reports no loads. */
const reportSchema = v.object({
  id: v.string(),
  publicUrl: v.string(),
  busiest: v.optional(v.object({ partitions: loadsSchema, organizations: loadsSchema }), {
    partitions: [],
    organizations: [],
  }),
});
export type Report = v.InferOutput<typeof reportSchema>;

const readySchema = v.object({ missing: v.array(v.string()) });
const agendasSchema = v.object({
  agendas: v.array(
    v.object({
      ...{ agenda: v.string(), waiting: v.number(), more: v.boolean() },
      oldestDueMs: v.number(),
    }),
  ),
});
const refsSchema = v.object({ found: v.array(v.tuple([v.string(), v.string()])) });

export interface ReadProcess {
  readonly id: string;
  readonly role: string;
  readonly pid: number | null;
  readonly series: Series;
}

export interface Reading {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Monotonic milliseconds of the metrics. */
  readonly readAt: number;
  /** By id. */
  readonly processes: ReadonlyMap<string, ReadProcess>;
  readonly reports: readonly Report[];
  /** As `/readyz` has it: `nats`, `actors`, `mongodb`, `partitions`. */
  readonly missing: readonly string[];
  /** Ids of actors processes that are members and do not answer. */
  readonly silent: readonly string[];
  /** Null where nobody tells. */
  readonly agendas: readonly AgendaBacklog[] | null;
}

type AskedBus = Pick<OpenBus, 'query' | 'askAll' | 'readMetrics'>;

/** @param bus null while the NATS server is away */
export async function readMoment(bus: AskedBus | null): Promise<Reading> {
  if (bus === null) return { ...NOTHING, ...now(), missing: ['nats'] };
  const [{ processes, readAt }, { reports, silent }, ready, agendas] = await Promise.all([
    readProcesses(bus),
    readReports(bus),
    ask(bus, readySchema, 'ready', {}),
    ask(bus, agendasSchema, 'agendas', {}),
  ]);
  return {
    ...{ at: systemClock.now(), readAt, processes, reports, silent },
    missing: ready?.missing ?? ['actors'],
    agendas: agendas?.agendas ?? null,
  };
}

const NOTHING = { processes: new Map(), reports: [], silent: [], agendas: null };

function now(): Pick<Reading, 'at' | 'readAt'> {
  return { at: systemClock.now(), readAt: systemClock.monotonic() };
}

async function readProcesses(bus: AskedBus): Promise<Pick<Reading, 'processes' | 'readAt'>> {
  const expositions = await bus.readMetrics();
  const readAt = systemClock.monotonic();
  const processes = expositions.map(({ processId: id, role, pid = null, text }) => {
    return [id, { id, role, pid, series: seriesIn(text) }] as const;
  });
  return { readAt, processes: new Map(processes) };
}

async function readReports(bus: AskedBus): Promise<Pick<Reading, 'reports' | 'silent'>> {
  const members = await ask(bus, membersSchema, 'members', {});
  const ids = members?.ids ?? [];
  const reports = await gatherReports(bus, reportSchema, new Set(ids));
  return { reports: [...reports.values()], silent: ids.filter((id) => !reports.has(id)) };
}

/** Null where nobody answers in time, or only with a failure. */
async function ask<S extends v.GenericSchema, Each extends Resource>(
  bus: Pick<OpenBus, 'query'>,
  schema: S,
  resource: Each,
  payload: PayloadOf<Each>,
): Promise<v.InferOutput<S> | null> {
  try {
    const deadline = systemClock.now() + DEADLINE_MS;
    return readAnswer(schema, await bus.query(resource, payload, { deadline }));
  } catch (cause) {
    if (cause instanceof AskFailed || cause instanceof ServiceFailed) return null;
    throw cause;
  }
}

/** Refs of organizations by id; one that is not found, or not told in time, is left out. */
export async function readRefs(
  bus: Pick<OpenBus, 'query'>,
  orgIds: readonly string[],
): Promise<readonly (readonly [id: string, ref: string])[]> {
  return (await ask(bus, refsSchema, 'organization-refs', { orgIds }))?.found ?? [];
}
