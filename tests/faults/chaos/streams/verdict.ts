/** Verdict on all consumers of a run, by the record and by the calls. */
import { firstSightings, outOfCommitOrder } from './commits.ts';
import { type RecordedById, violationsOf } from './judge.ts';
import type { Records } from './records.ts';
import type { Consumer } from './sighting.ts';
import { countsOf, type Made } from './traffic.ts';

const TAKEN = 204;

/** A consumer, and the calls of its organization. */
export interface Judged {
  readonly consumer: Consumer;
  readonly made: Made;
  readonly stages: readonly string[];
  /** Of a channel's key. */
  readonly channelId: string | null;
}

export interface ConsumerReport {
  readonly name: string;
  readonly lives: number;
  readonly recorded: number;
  /** Sightings beyond the first one of each event. */
  readonly repeats: number;
}

export interface Verdict {
  readonly consumers: readonly ConsumerReport[];
  readonly violations: readonly string[];
}

export async function verdictOf(records: Records, judged: readonly Judged[]): Promise<Verdict> {
  const consumers: ConsumerReport[] = [];
  const violations: string[] = [];
  for (const each of judged) {
    const { name, lives } = each.consumer;
    const recorded = await records.of(name);
    const sightings = lives.reduce((sum, { sightings: of }) => sum + of.length, 0);
    const repeats = sightings - recorded.size;
    consumers.push({ name, lives: lives.length, recorded: recorded.size, repeats });
    violations.push(...violationsOf(each.consumer, recorded), ...causesOf(each, recorded));
  }
  return { consumers, violations };
}

/** The recorded events are those of the calls, each once, in the order of the calls. */
function causesOf({ consumer, made, stages, channelId }: Judged, recorded: RecordedById) {
  const { name, lives, reading } = consumer;
  const events = [...recorded.values()];
  const counts = Object.entries(countsOf(made, channelId)).flatMap(([wanted, count]) => {
    const found = events.filter(({ event }) => event === wanted).length;
    return found === count ? [] : [`${found} ${wanted} are recorded, not ${count}`];
  });
  const texts = ['received', 'sent'].flatMap((direction) => {
    const own = direction === 'sent' ? made.sent : made.received;
    const heard = Object.entries(own).filter(([id]) => channelId === null || id === channelId);
    const wanted = heard.flatMap(([, list]) => list);
    const found = events.filter(({ event }) => event === `message.${direction}`).map(textOf);
    const isSame = found.toSorted().join() === wanted.toSorted().join();
    return isSame ? [] : [`other messages are recorded as ${direction}`];
  });
  const outcomes =
    reading === 'forwarded' && events.some(({ lastStatus }) => lastStatus !== TAKEN)
      ? ['an outcome was recorded that the receiver has not given']
      : [];
  const order = outOfCommitOrder(firstSightings(lives, recorded), stages);
  return [...counts, ...texts, ...outcomes, ...order].map((each) => `${name}: ${each}`);
}

function textOf({ body }: { readonly body: string }): string {
  return String(Object(JSON.parse(body)).data.text);
}
