/** The service with all organizations, prepared for every act; shared by the suite and its test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  NOISY_WORKLOADS,
  type NoisyOrganization,
  type NoisyWorkload,
  type Sizes,
  timers,
} from './noisy-workloads.ts';
import { neighboursFile, noisyTokens, QUIET, type Troubles } from './organizations.ts';
import type { SlowServer } from './troublesome-server.ts';

/** A few megabytes: a flyer. */
const FLYER_BYTES = 5_000_000;
const HANGING = 10;
const MINUTE_MS = 60_000;
const SPARE_MS = 20_000;
/** On a slow machine the remaining preparation takes as long as so many. */
const APPLIES = 6;
/** Slower starts of flows miss their minute. */
const SLOWEST_STARTS_PER_SECOND = 400;

interface AppliedOrganization {
  readonly id: string;
  readonly channels: Readonly<Record<string, { readonly id: string }>>;
  readonly flows?: Readonly<Record<string, string>> | undefined;
  readonly files?: Readonly<Record<string, string>> | undefined;
}

export interface FixtureOptions {
  readonly baseUrl: string;
  /** Of the files that are made for the scene. */
  readonly folder: string;
  readonly sizes: Sizes;
  readonly server: SlowServer;
  /** Duration of the workloads before all timers are due, milliseconds. */
  readonly beforeMinuteMs?: number;
  apply(file: object): Promise<{ readonly orgs: Readonly<Record<string, AppliedOrganization>> }>;
}

export interface NeighboursFixture {
  noisyOf(workload: NoisyWorkload): NoisyOrganization;
  /** Channel of the quiet organization. */
  readonly quietChannelId: string;
  /** Epoch milliseconds at which all timers are due. */
  readonly minuteAt: number;
}

type Applied = Awaited<ReturnType<FixtureOptions['apply']>>['orgs'];

/** The workloads' data is created without limits; then the contract's limits apply. */
export async function prepareFixture(options: FixtureOptions): Promise<NeighboursFixture> {
  const workloads = [...NOISY_WORKLOADS, timers];
  const startedAt = Date.now();
  const untimed = troublesOf(options, workloads);
  const { orgs: first } = await options.apply(neighboursFile(untimed));
  const minuteAt = minuteAfter(options, Date.now() - startedAt);
  const troubles = { ...untimed, minuteAt };
  const ownWebhooks = Object.fromEntries(
    workloads.map(({ ref }) => [
      ref,
      `${options.baseUrl}/api/webhooks/channel/${channelOf(first, ref)}`,
    ]),
  );
  const { orgs } = await options.apply(neighboursFile({ ...troubles, ownWebhooks }));
  const noisyOf = ({ ref }: NoisyWorkload): NoisyOrganization => noisyIn(options, orgs, ref);
  for (const workload of workloads) await workload.prepare?.(noisyOf(workload));
  if (Date.now() >= minuteAt) throw new Error('the timers were not set before the minute');
  await options.apply(neighboursFile({ ...troubles, ownWebhooks, limited: true }));
  return { noisyOf, quietChannelId: channelOf(orgs, QUIET), minuteAt };
}

function troublesOf(options: FixtureOptions, workloads: readonly NoisyWorkload[]): Troubles {
  const { folder, server } = options;
  const filePath = join(folder, 'flyer.pdf');
  writeFileSync(filePath, Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(FLYER_BYTES)]));
  const hang = `http://127.0.0.1:${server.port}/hang`;
  return {
    noisy: workloads.map(({ ref }) => ref),
    hanging: Array.from({ length: HANGING }, (_, at) => `${hang}/${at}`),
    ...{ filePath, ownWebhooks: {}, limited: false },
    minuteAt: minuteAfter(options, 0),
  };
}

/**
 * Epoch milliseconds of a full minute after everything is prepared.
 * @param applyMs what an apply takes here
 */
function minuteAfter({ sizes, beforeMinuteMs = 0 }: FixtureOptions, applyMs: number): number {
  const startsMs = (sizes.timers / SLOWEST_STARTS_PER_SECOND) * 1_000;
  const preparingMs = startsMs + SPARE_MS + APPLIES * applyMs;
  return Math.ceil((Date.now() + preparingMs + beforeMinuteMs) / MINUTE_MS) * MINUTE_MS;
}

function noisyIn(
  { baseUrl, sizes, server }: FixtureOptions,
  orgs: Applied,
  ref: string,
): NoisyOrganization {
  return {
    ...{ baseUrl, sizes, tokens: noisyTokens(ref) },
    channelId: channelOf(orgs, ref),
    trickleUrl: `http://127.0.0.1:${server.port}/file`,
    fileId: orgs[ref]?.files?.flyer ?? '',
    flows: orgs[ref]?.flows ?? {},
  };
}

function channelOf(orgs: Applied, ref: string): string {
  return orgs[ref]?.channels['number-0']?.id ?? '';
}
