/** A checkout's whole service and all that is measured of it, beside the other checkout's. */
import { mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MongoClient } from 'mongodb';
import { recadoSide } from '../accept/recado-side.ts';
import { type AcceptSide, measureAccepted } from '../accept/sides.ts';
import { type CpuByRole, cpuByRole, cpuSince } from '../cpu.ts';
import { deliver, ratePerSecond } from '../deliveries/events.ts';
import { type EndToEndFixture, runJourneys, travellers } from '../end-to-end/fixture.ts';
import { organizationsFile } from '../organization.ts';
import { type BenchService, startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Context } from '../suite.ts';

const CONNECTIONS = 128;
/** Far below what any machine sustains, so that only the cost of a message differs. */
const JOURNEYS_PER_SECOND = 100;
const SUBSCRIBERS = 100;
const [TRAVEL, BURST] = ['travel', 'burst'];
/** Code from a filled cache costs its process up to a tenth more than code compiled afresh. */
const WITHOUT_COMPILE_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' };

export const LOADS = ['accept', 'end-to-end', 'deliveries'] as const;
type Load = (typeof LOADS)[number];

/** The figures of one round, by what they measure. */
export type Figures = Readonly<Record<string, number>>;

export interface CheckoutSide {
  readonly name: string;
  readonly service: BenchService;
  /** One round of each chosen load; all of its work has ended afterwards. */
  measure(): Promise<Figures>;
  close(): Promise<void>;
}

export interface Checkout {
  readonly name: string;
  readonly root: string;
}

/** Starts a service of the checkout, in a folder of its own. */
export async function checkoutSide(
  context: Context,
  { name, root }: Checkout,
): Promise<CheckoutSide> {
  const folder = basename(mkdtempSync(join(context.folder, `${name}-`)));
  const settings = WITHOUT_COMPILE_CACHE;
  const service = await startService(context, { name: folder, root, settings });
  const client = await new MongoClient(service.run().mongodbUrl).connect();
  const accepting = await recadoSide({ service, client, logProgress: () => undefined });
  const subscribers = await startSubscribers(context.children, {
    prompt: SUBSCRIBERS,
    hanging: 0,
  });
  const [url = ''] = subscribers.prompt;
  const burst = { channels: 0, subscribers: subscribers.prompt, events: ['task.created'] };
  const { orgs } = await service.apply(
    organizationsFile([travellers(TRAVEL, url), { ref: BURST, ...burst }]),
  );
  const journeys: EndToEndFixture = {
    ...{ context, service, subscribers, ref: TRAVEL, calls: 0 },
    entries: client.db('recado').collection('entries'),
    channelIds: Object.values(orgs[TRAVEL]?.channels ?? {}).map(({ id }) => id),
  };
  return {
    name,
    service,
    measure: async () => {
      const { loads } = context.options;
      const isChosen = (load: Load): boolean => loads.length === 0 || loads.includes(load);
      return {
        ...(isChosen('accept') ? await acceptFigures(journeys, accepting) : {}),
        ...(isChosen('end-to-end') ? await journeyFigures(journeys) : {}),
        ...(isChosen('deliveries') ? await deliveryFigures(journeys) : {}),
      };
    },
    close: async () => {
      await client.close();
      await service.stop();
    },
  };
}

async function acceptFigures(
  { context, service }: EndToEndFixture,
  side: AcceptSide,
): Promise<Figures> {
  const effort = { connections: CONNECTIONS, seconds: context.options.seconds };
  const { done, cpuMs } = await costOf(service, () => measureAccepted(context, side, effort));
  await side.drain();
  return {
    'accepted sends /s': done.perSecond,
    'accept, processor ms a send': cpuMs / done.accepted,
  };
}

async function journeyFigures(fixture: EndToEndFixture): Promise<Figures> {
  const load = { perSecond: JOURNEYS_PER_SECOND, seconds: 2 * fixture.context.options.seconds };
  const { done, cpuMs } = await costOf(fixture.service, () => runJourneys(fixture, load));
  return {
    'end to end, p50 ms': done.whole.p50Ms,
    'end to end, processor ms a message': cpuMs / done.messages,
  };
}

async function deliveryFigures(fixture: EndToEndFixture): Promise<Figures> {
  const load = { perSecond: 400, seconds: fixture.context.options.seconds / 15 };
  const stage = { ref: BURST, prompt: SUBSCRIBERS };
  const { done, cpuMs } = await costOf(fixture.service, () => deliver(fixture, stage, load));
  return {
    'deliveries /s': ratePerSecond(done),
    'deliveries, processor ms each': cpuMs / done.arrivals.length,
  };
}

/** Processor time of all the service's processes meanwhile. */
async function costOf<Done>(
  service: BenchService,
  work: () => Promise<Done>,
): Promise<{ readonly done: Done; readonly cpuMs: number }> {
  const before = cpuByRole(service.run().pids);
  const done = await work();
  return { done, cpuMs: 1_000 * total(cpuSince(before, cpuByRole(service.run().pids))) };
}

function total(cpu: CpuByRole): number {
  return Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
}
