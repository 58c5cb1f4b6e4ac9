/**
 * Read barrier of conversation lists: a list that is read right after a 201 shows the new state.
 * Before the read, the owners of the organization's conversations write their due snapshots.
 *
 * 1. The barrier is passed when owners have answered for the partitions of the organization's
 *    channels, removed ones too: its conversations lie in no other. While one of them has no owner,
 *    a list waits as a send does. Owners of other organizations delay nothing (D344).
 * 2. Lists that wait at the same moment share a question. An answer counts for lists that came
 *    before its question: an owner may have written its snapshots ahead of a later list's entry.
 * 3. A list whose owner is missing holds up no other: the next question follows after 20 ms.
 */
import { AskFailed } from '../../../shared/ports/bus.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import type { Environment } from '../../environment.ts';
import type { Store } from '../../model/collections.ts';
import { readOrganization } from '../../organization/read-organization.ts';
import { sleep } from '../../runtime/repeat.ts';

const TOPIC = 'snapshots';
/** The wait of a newcomer for the next question, where the one under way is not answered. */
const NEWCOMER_MS = 20;
const RETRY_MS = 150;
/** Answers to a question are heard for so long: a flush may take longer than a retry. */
const HEARD_MS = 1_000;
const TIMEOUT_MS = 7_000;

/** A question names the partitions that it is about; an answer those of them that are complete. */
interface Partitions {
  readonly partitions: readonly number[];
}

function isPartitions(payload: unknown): payload is Partitions {
  return typeof payload === 'object' && payload !== null && 'partitions' in payload;
}

type ReadBarrierEnvironment = Pick<Environment, 'bus' | 'clock'>;

/**
 * @param flush writes the due snapshots and answers those of the partitions that are complete
 */
export function serveReadBarrier(
  environment: ReadBarrierEnvironment,
  flush: (partitions: readonly number[]) => Promise<readonly number[]>,
): void {
  environment.bus.answerAll(TOPIC, async (asked): Promise<Partitions> => {
    return { partitions: isPartitions(asked) ? await flush(asked.partitions) : [] };
  });
}

/** The partitions of an organization's conversations: a conversation has its channel's number. */
export async function conversationPartitions(
  store: Store,
  orgId: string,
): Promise<ReadonlySet<number>> {
  const organization = await readOrganization(store, orgId, ['channels']);
  return new Set(organization?.channels.map(({ id }) => partitionOf('channel', id)));
}

/** A list before its read. */
interface Waiting {
  readonly missing: Set<number>;
  /** Monotonic milliseconds. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (failure: AskFailed) => void;
}

export class ReadBarrier {
  readonly #environment: ReadBarrierEnvironment;
  readonly #partitionsOf: (orgId: string) => Promise<ReadonlySet<number>>;
  readonly #waiting = new Set<Waiting>();
  #isAsking = false;
  #newcomer = Promise.withResolvers<void>();

  /** @param partitionsOf an organization's conversations */
  constructor(
    environment: ReadBarrierEnvironment,
    partitionsOf: (orgId: string) => Promise<ReadonlySet<number>>,
  ) {
    this.#environment = environment;
    this.#partitionsOf = partitionsOf;
  }

  /** @throws {AskFailed} when no owner has answered for a partition within 7 s */
  async pass(orgId: string): Promise<void> {
    const missing = new Set(await this.#partitionsOf(orgId));
    if (missing.size === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const until = this.#environment.clock.monotonic() + TIMEOUT_MS;
    this.#waiting.add({ missing, until, resolve, reject });
    this.#newcomer.resolve();
    if (!this.#isAsking) this.#askRepeatedly().catch((cause: unknown) => this.#fail(cause));
    await promise;
  }

  async #askRepeatedly(): Promise<void> {
    const { clock } = this.#environment;
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      this.#newcomer = Promise.withResolvers();
      const passed = this.#ask();
      await sleep(clock, NEWCOMER_MS, passed);
      await sleep(clock, RETRY_MS - NEWCOMER_MS, Promise.race([passed, this.#newcomer.promise]));
      this.#giveUp();
    }
    this.#isAsking = false;
  }

  /** One question for all that wait; resolves when they have passed. */
  #ask(): Promise<void> {
    const { bus, clock } = this.#environment;
    const asked = [...this.#waiting];
    const { promise: passed, resolve } = Promise.withResolvers<void>();
    const onAnswer = (answer: unknown) => {
      if (!isPartitions(answer)) return;
      for (const waiting of asked) this.#note(waiting, answer);
      if (!asked.some((waiting) => this.#waiting.has(waiting))) resolve();
    };
    const partitions = [...new Set(asked.flatMap(({ missing }) => [...missing]))];
    const stop = bus.askAll(TOPIC, onAnswer, { partitions } satisfies Partitions);
    void sleep(clock, HEARD_MS, passed).finally(stop);
    return passed;
  }

  #note(waiting: Waiting, { partitions }: Partitions): void {
    for (const number of partitions) waiting.missing.delete(number);
    if (waiting.missing.size > 0) return;
    this.#waiting.delete(waiting);
    waiting.resolve();
  }

  /** The bus is closed. */
  #fail(cause: unknown): void {
    this.#isAsking = false;
    for (const { reject } of this.#waiting) reject(new AskFailed(TOPIC, { cause }));
    this.#waiting.clear();
  }

  #giveUp(): void {
    const now = this.#environment.clock.monotonic();
    for (const waiting of this.#waiting) {
      if (now < waiting.until) continue;
      this.#waiting.delete(waiting);
      waiting.reject(new AskFailed(TOPIC));
    }
  }
}
