/** The service with all organizations, prepared for every act; shared by the suite and its test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTS, type Act, type Greedy, type Sizes, timers } from './acts.ts';
import { greedyTokens, neighboursFile, QUIET, type Troubles } from './organizations.ts';
import type { TroublesomeServer } from './troublesome-server.ts';

/** A few megabytes: a flyer. */
const FLYER_BYTES = 5_000_000;
const HANGING = 10;
const MINUTE_MS = 60_000;
const SPARE_MS = 20_000;
/** Slower starts of flows miss their minute. */
const SLOWEST_STARTS_PER_SECOND = 400;

interface AppliedOrganization {
  readonly id: string;
  readonly channels: Readonly<Record<string, { readonly id: string }>>;
  readonly flows?: Readonly<Record<string, string>> | undefined;
  readonly files?: Readonly<Record<string, string>> | undefined;
}

export interface Setting {
  readonly baseUrl: string;
  /** Of the files that are made for the scene. */
  readonly folder: string;
  readonly sizes: Sizes;
  readonly server: TroublesomeServer;
  /** Time that the acts take before all timers are due, milliseconds. */
  readonly beforeMinuteMs?: number;
  apply(file: object): Promise<{ readonly orgs: Readonly<Record<string, AppliedOrganization>> }>;
}

export interface Scene {
  greedyOf(act: Act): Greedy;
  /** Channel of the quiet organization. */
  readonly quietChannelId: string;
  /** Epoch milliseconds at which all timers are due. */
  readonly minuteAt: number;
}

type Applied = Awaited<ReturnType<Setting['apply']>>['orgs'];

/** What acts need is made without limits; then the contract's limits hold. */
export async function prepareScene(setting: Setting): Promise<Scene> {
  const acts = [...ACTS, timers];
  const troubles = troublesOf(setting, acts);
  const { orgs: first } = await setting.apply(neighboursFile(troubles));
  const ownWebhooks = Object.fromEntries(
    acts.map(({ ref }) => [
      ref,
      `${setting.baseUrl}/api/webhooks/channel/${channelOf(first, ref)}`,
    ]),
  );
  const { orgs } = await setting.apply(neighboursFile({ ...troubles, ownWebhooks }));
  const greedyOf = ({ ref }: Act): Greedy => greedyIn(setting, orgs, ref);
  for (const act of acts) await act.prepare?.(greedyOf(act));
  const { minuteAt } = troubles;
  if (Date.now() >= minuteAt) throw new Error('the timers were not set before the minute');
  await setting.apply(neighboursFile({ ...troubles, ownWebhooks, limited: true }));
  return { greedyOf, quietChannelId: channelOf(orgs, QUIET), minuteAt };
}

function troublesOf(setting: Setting, acts: readonly Act[]): Troubles {
  const { folder, sizes, server, beforeMinuteMs = 0 } = setting;
  const filePath = join(folder, 'flyer.pdf');
  writeFileSync(filePath, Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(FLYER_BYTES)]));
  const preparingMs = (sizes.timers / SLOWEST_STARTS_PER_SECOND) * 1_000 + SPARE_MS;
  const ready = Date.now() + preparingMs + beforeMinuteMs;
  const hang = `http://127.0.0.1:${server.port}/hang`;
  return {
    greedy: acts.map(({ ref }) => ref),
    hanging: Array.from({ length: HANGING }, (_, at) => `${hang}/${at}`),
    ...{ filePath, ownWebhooks: {}, limited: false },
    minuteAt: Math.ceil(ready / MINUTE_MS) * MINUTE_MS,
  };
}

function greedyIn({ baseUrl, sizes, server }: Setting, orgs: Applied, ref: string): Greedy {
  return {
    ...{ baseUrl, sizes, tokens: greedyTokens(ref) },
    channelId: channelOf(orgs, ref),
    trickleUrl: `http://127.0.0.1:${server.port}/file`,
    fileId: orgs[ref]?.files?.flyer ?? '',
    flows: orgs[ref]?.flows ?? {},
  };
}

function channelOf(orgs: Applied, ref: string): string {
  return orgs[ref]?.channels['number-0']?.id ?? '';
}
