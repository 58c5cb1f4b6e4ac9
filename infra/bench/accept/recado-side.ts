/**
 * Recado side, with everything enabled. A number sends accepted messages at the network's pace, so
 * a backlog remains. Before another side is measured, the pace limit is removed until all of it is
 * sent.
 */
import type { Collection, MongoClient } from 'mongodb';
import type { BenchService } from '../service.ts';
import type { Context } from '../suite.ts';
import { NETWORK_PACE, NO_PACE, organizationFile, TOKEN } from './organization.ts';
import { type AcceptSide, rowsIn } from './sides.ts';

const POLL_MS = 100;
const DRAIN_MS = 120_000;
/** The backlog counts as drained after so many polls in a row without pending entries. */
const QUIET_LOOKS = 10;

export interface RecadoPlan {
  readonly service: BenchService;
  readonly client: MongoClient;
  readonly logProgress: Context['logProgress'];
}

export async function recadoSide({
  service,
  client,
  logProgress,
}: RecadoPlan): Promise<AcceptSide> {
  const { orgs } = await service.apply(organizationFile(NETWORK_PACE));
  const channelId = orgs.bench?.channels.main?.id ?? '';
  const entries = rowsIn(client, 'recado', 'entries');
  const drain = async (): Promise<void> => {
    const startedAt = performance.now();
    const waiting = await entries.countDocuments({ send: { $exists: true } });
    await service.apply(organizationFile(NO_PACE));
    while ((await entries.countDocuments({ send: { $exists: true } }, { limit: 1 })) > 0) {
      if (performance.now() - startedAt > DRAIN_MS) throw new Error('the backlog does not drain');
      await new Promise((resume) => setTimeout(resume, POLL_MS));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    logProgress(`sent a backlog of ${waiting} in ${seconds.toFixed(1)} s`);
    await service.apply(organizationFile(NETWORK_PACE));
    await receiptsAreIn(entries);
  };
  return {
    name: 'recado',
    target: {
      port: Number(new URL(service.run().baseUrl).port),
      path: '/api/v1/messages',
      token: TOKEN,
      channelId,
    },
    count: () => entries.countDocuments({ 'message.direction': 'out' }),
    drain: drain,
  };
}

/** Statuses go on arriving for a moment, and what they set off is then published and cleared. */
async function receiptsAreIn(entries: Collection): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    await new Promise((resume) => setTimeout(resume, POLL_MS));
    const pending = await entries.countDocuments({ pending: { $exists: true } }, { limit: 1 });
    quiet = pending > 0 ? 0 : quiet + 1;
  }
}
