/** The service with both organizations, prepared for every act; shared by the suite and its test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTS, type Greedy, type Sizes, timers } from './acts.ts';
import { GREEDY, neighboursFile, QUIET, type Troubles } from './organizations.ts';
import { startTroublesomeServer, type TroublesomeServer } from './troublesome-server.ts';

/** A few megabytes: a flyer. */
const FLYER_BYTES = 5_000_000;
const HANGING = 10;
const MINUTE_MS = 60_000;
const SPARE_MS = 20_000;
/** Slower starts of flows miss their minute. */
const SLOWEST_STARTS_PER_SECOND = 250;

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
  apply(file: object): Promise<{ readonly orgs: Readonly<Record<string, AppliedOrganization>> }>;
}

export interface Scene {
  readonly greedy: Greedy;
  /** Channel of the quiet organization. */
  readonly quietChannelId: string;
  /** Epoch milliseconds at which all timers are due. */
  readonly minuteAt: number;
}

export { startTroublesomeServer };

/** What acts need is made without limits; then the contract's limits hold. */
export async function prepareScene(setting: Setting): Promise<Scene> {
  const { baseUrl, folder, sizes, server } = setting;
  const filePath = join(folder, 'flyer.pdf');
  writeFileSync(filePath, Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(FLYER_BYTES)]));
  const ready = Date.now() + (sizes.timers / SLOWEST_STARTS_PER_SECOND) * 1_000 + SPARE_MS;
  const origin = `http://127.0.0.1:${server.port}`;
  const troubles: Troubles = {
    hanging: Array.from({ length: HANGING }, (_, at) => `${origin}/hang/${at}`),
    ...{ filePath, minuteAt: Math.ceil(ready / MINUTE_MS) * MINUTE_MS, limited: false },
  };
  const first = await setting.apply(neighboursFile(troubles));
  const channelId = first.orgs[GREEDY]?.channels['number-0']?.id ?? '';
  const ownWebhook = `${baseUrl}/api/webhooks/channel/${channelId}`;
  const { orgs } = await setting.apply(neighboursFile({ ...troubles, ownWebhook }));
  const greedy: Greedy = {
    ...{ baseUrl, channelId, sizes, trickleUrl: `${origin}/file` },
    fileId: orgs[GREEDY]?.files?.flyer ?? '',
    flows: orgs[GREEDY]?.flows ?? {},
  };
  for (const act of [...ACTS, timers]) await act.prepare?.(greedy);
  if (Date.now() >= troubles.minuteAt) throw new Error('the timers were not set before the minute');
  await setting.apply(neighboursFile({ ...troubles, ownWebhook, limited: true }));
  const quietChannelId = orgs[QUIET]?.channels['number-0']?.id ?? '';
  return { greedy, quietChannelId, minuteAt: troubles.minuteAt };
}
