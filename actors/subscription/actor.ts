/** Actor of one subscription. Attempts run in the `DeliveryWorker`, outside of the mailbox. */
import { deliveryId } from '../../shared/entity-ids.ts';
import { TEST_EVENT } from '../../shared/events.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Answer, AnswerOf, Command, CommandOf } from '../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { Acknowledged } from '../../shared/wire/command-map.ts';
import { auditItems, timestamp } from '../../shared/wire/outbox.ts';
import {
  type AcknowledgedStream,
  type AcknowledgeStream,
  type DescribeStream,
  isStreamId,
  type LeaveStream,
  type ReadStream,
  type StreamRead,
  type StreamState,
} from '../../shared/wire/stream-commands.ts';
import { shelved } from '../../shared/wire/subjects.ts';
import type {
  RetriedDeliveries,
  RetryDeliveries,
  TestSubscription,
} from '../../shared/wire/subscription-commands.ts';
import type { Environment } from '../environment.ts';
import type { DeliveryDocument, RecordEvents, StreamNudge } from '../model/subscription.ts';
import type { Actor, Kind, TurnContext } from '../runtime/kind.ts';
import { type Handlers, handlerOf } from '../runtime/turn.ts';
import type { DeliveryAgenda } from './agenda.ts';
import { ConfigurationSource, SubscriptionCache } from './deliveries/configuration.ts';
import { recordedState } from './deliveries/recorded-delivery.ts';
import type { DeliveryWorker } from './deliveries/worker.ts';

const RETRY_PAGE = 1_000;
/** Time to write a page and to return the answer. */
const RETRY_SPARE_MS = 2_000;

type Retried = Awaited<ReturnType<DeliveryWorker['retry']>>;

export function subscriptionKind(environment: Environment, agenda: DeliveryAgenda): Kind {
  return {
    kind: 'subscription',
    open: (key) => new SubscriptionActor(key, environment, agenda),
    acquire: (partition, epoch) => agenda.acquire(partition, epoch),
    flush: (partition) => agenda.drain(partition),
    release: (partition) => agenda.release(partition),
    nudge: (_, payload) => agenda.nudge(payload as DeliveryDocument | StreamNudge),
  };
}

class SubscriptionActor implements Actor<'subscription'> {
  readonly #id: string;
  readonly #environment: Environment;
  readonly #agenda: DeliveryAgenda;

  constructor(id: string, environment: Environment, agenda: DeliveryAgenda) {
    this.#id = id;
    this.#environment = environment;
    this.#agenda = agenda;
  }

  static readonly #HANDLERS: Handlers<'subscription', SubscriptionActor> = {
    retry: (subscription, command, context) => subscription.#retry(command, context),
    test: (subscription, command) => subscription.#test(command),
    configure: (subscription) => subscription.#configure(),
    'record-events': (subscription, command) => subscription.#recordEvents(command),
    'read-stream': (subscription, command) => subscription.#readStream(command),
    'acknowledge-stream': (subscription, command, context) =>
      subscription.#acknowledgeStream(command, context),
    'leave-stream': (subscription, command) => subscription.#leaveStream(command),
    'describe-stream': (subscription, command) => subscription.#describeStream(command),
  };

  /** A retry of many deliveries takes seconds, for which no event of another actor waits. */
  sharedHandler(
    command: CommandOf<'subscription'>,
    context: TurnContext,
  ): Promise<Answer> | undefined {
    return command.type === 'record-events' ? this.turn(command, context) : undefined;
  }

  turn(command: CommandOf<'subscription'>, context: TurnContext): Promise<Answer> {
    return handlerOf(SubscriptionActor.#HANDLERS, command)(this, command, context);
  }

  #worker(): Promise<DeliveryWorker> {
    return this.#agenda.openWorker(this.#id);
  }

  async #recordEvents(command: RecordEvents): Promise<AnswerOf<Acknowledged>> {
    await this.#agenda.streams.of(this.#id).record(command);
    return DONE;
  }

  async #readStream(command: ReadStream): Promise<AnswerOf<StreamRead>> {
    return answerOf(await this.#agenda.streams.of(this.#id).read(command));
  }

  async #acknowledgeStream(
    command: AcknowledgeStream,
    { repeat }: TurnContext,
  ): Promise<AnswerOf<AcknowledgedStream>> {
    const stream = this.#agenda.streams.of(this.#id);
    if (!repeat && !stream.reader.mayAcknowledge(this.#environment.clock.monotonic())) {
      return { ...renderFailure(failure('rate_limited')), headers: { 'retry-after': '1' } };
    }
    const acknowledged = await stream.acknowledge(command);
    if (acknowledged === null) return renderFailure(failure('stream_not_found'));
    return answerOf({ acknowledged });
  }

  async #leaveStream(command: LeaveStream): Promise<AnswerOf<Acknowledged>> {
    this.#agenda.streams.of(this.#id).reader.leave(command);
    return DONE;
  }

  async #describeStream({ orgId }: DescribeStream): Promise<AnswerOf<{ data: StreamState }>> {
    const data = await this.#agenda.streams.of(this.#id).describe(orgId);
    return data ? answerOf({ data }) : renderFailure(failure('stream_not_found'));
  }

  async #configure(): Promise<AnswerOf<Acknowledged>> {
    (await this.#worker()).reconfigure();
    return DONE;
  }

  async #retry(
    command: RetryDeliveries,
    { deadline }: TurnContext,
  ): Promise<AnswerOf<RetriedDeliveries>> {
    const { deliveryIds, orgId } = command;
    const { store, clock } = this.#environment;
    const own = { subscriptionId: this.#id, ...(orgId === undefined ? {} : { orgId }) };
    await this.#recordRetry(command);
    const { streams } = this.#agenda;
    const worker = isStreamId(this.#id) ? streams.of(this.#id) : await this.#worker();
    if (deliveryIds) {
      const filter = { ...own, _id: { $in: deliveryIds } };
      const { retried } = await worker.retry(() => store.find('deliveries', filter));
      return answerOf({ retried, nextSince: null, until: null });
    }
    const until = command.until ?? clock.now();
    let retried = 0;
    let after: DeliveryDocument | null = null;
    do {
      const filter: Record<string, unknown> = {
        ...own,
        'state.status': { $in: ['failed', 'parked'] },
        createdAt: { $gte: after?.createdAt ?? command.since ?? 0, $lte: until },
      };
      const options = { sort: { createdAt: 1, _id: 1 }, limit: RETRY_PAGE } as const;
      const read = () => store.find('deliveries', filter, options);
      const page: Retried = await worker.retry(read);
      retried += page.retried;
      // Retried deliveries no longer match the filter: the next page starts after them.
      if (page.found.length < RETRY_PAGE) return answerOf({ retried, nextSince: null, until });
      after = page.found.at(-1) ?? null;
    } while (clock.now() < deadline - RETRY_SPARE_MS);
    return answerOf({ retried, nextSince: after?.createdAt ?? null, until });
  }

  /** Before the change: deliveries have no outbox. An entry of a repeated command is met. */
  async #recordRetry(command: RetryDeliveries & Pick<Command, 'by'>): Promise<void> {
    if (!command.by) return;
    const { bus, clock } = this.#environment;
    const orgId = command.orgId ?? (await this.#configuration())?.orgId;
    if (orgId === undefined) return;
    const subject = { kind: 'subscription', id: this.#id, orgId } as const;
    for (const item of auditItems(this.#environment, command, subject)) {
      const { to, command: record } = item;
      const answer = await bus.ask(to, record, { deadline: clock.now() + ASK_DEADLINE_MS });
      if (answer.status !== 200) throw new Error(`the retry was not recorded: ${answer.status}`);
    }
  }

  /** Commands by hand are rare: a cache of its own reads the present configuration. */
  #configuration() {
    const cache = new SubscriptionCache(this.#environment);
    return new ConfigurationSource(this.#environment, cache, this.#id).read();
  }

  async #test(command: TestSubscription): Promise<AnswerOf<{ readonly deliveryId: string }>> {
    const { clock, ids } = this.#environment;
    const configuration = await this.#configuration();
    if (!configuration) return { status: 404, body: '{"error":"There is no such subscription."}' };
    const now = clock.now();
    const data = { subscriptionId: this.#id, occurredAt: timestamp(now), origin: 'panel' };
    const delivery: DeliveryDocument = {
      _id: deliveryId(ids, command.id, this.#id),
      orgId: configuration.orgId,
      subscriptionId: this.#id,
      ...shelved('subscription', this.#id),
      event: TEST_EVENT,
      body: JSON.stringify({ event: TEST_EVENT, data }),
      createdAt: now,
      // One attempt, as in a manual retry: the breaker does not stop it, and it is not repeated.
      state: {
        ...recordedState(now, 'pending'),
        byHand: { status: 'failed', nextAttemptAt: null },
      },
    };
    await (await this.#worker()).send(delivery);
    return answerOf({ deliveryId: delivery._id });
  }
}
