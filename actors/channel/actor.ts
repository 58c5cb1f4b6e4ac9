/**
 * The channel kind and its actor. Every command is a shared handler: the channel does the work
 * outside the mailbox.
 */
import type { Answer, AnswerOf, CommandOf } from '../../shared/ports/bus.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { Configure, ProbeAnswer, SendNudge } from '../model/channel.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { Actor, Kind, TurnContext } from '../runtime/kind.ts';
import type { Tenure } from '../runtime/owned-partitions.ts';
import { type Handlers, handlerOf } from '../runtime/turn.ts';
import type { ChannelAgenda } from './agenda.ts';
import { cancelBulk } from './cancel-bulk.ts';
import type { Channel } from './channel.ts';
import { fetchMedia } from './fetch-media.ts';
import { showPresence } from './presence.ts';
import { isInboundCallsNudge } from './receiving/inbound-calls.ts';
import { lateOf } from './receiving/late-messages.ts';
import { answerChallenge, receiveWebhook, refusedOf } from './receiving/webhook.ts';

/** Shorter than the operator's own wait for the answer. */
const PROBED_WITHIN_MS = 3_000;

const HANDLERS: Handlers<'channel', Channel> = {
  webhook: ({ receiving }, command, context) => receiveWebhook(receiving, command, context),
  challenge: ({ receiving }, command) => answerChallenge(receiving, command),
  'fetch-media': fetchMedia,
  configure,
  'show-presence': showPresence,
  'cancel-bulk': cancelBulk,
  'list-inbound-calls': ({ inboundCalls, channelId }, command) =>
    inboundCalls.list(channelId, command),
};

export class ChannelActor implements Actor<'channel'> {
  readonly #id: string;
  readonly #tenure: Tenure<Channel>;

  constructor(id: string, tenure: Tenure<Channel>) {
    this.#id = id;
    this.#tenure = tenure;
  }

  /** Webhooks wait for conversations and networks: no command may hold the mailbox. */
  sharedHandler(command: CommandOf<'channel'>, context: TurnContext): Promise<Answer> | undefined {
    if (!Object.hasOwn(HANDLERS, command.type)) return undefined;
    const channel = this.#tenure.of(this.#id);
    const answer = handlerOf(HANDLERS, command)(channel, command, context);
    return answer.finally(() => this.#tenure.dispose(this.#id, channel));
  }

  turn({ type }: CommandOf<'channel'>): Promise<Answer> {
    throw new TypeError(`a channel knows no command ${type}`);
  }
}

/**
 * Probes the network under the changed configuration. A slow network does not delay the answer: its
 * result is reported to the organization later. With `tell` a result in time is reported too, since
 * the organization's turn has ended.
 */
async function configure(
  channel: Channel,
  { tell = false }: Configure,
): Promise<AnswerOf<ProbeAnswer>> {
  const { clock } = channel.environment;
  const late = Promise.withResolvers<'late'>();
  const cancel = clock.after(PROBED_WITHIN_MS, () => late.resolve('late'));
  const probing = channel.reconfigure().finally(cancel);
  const report = await Promise.race([probing, late.promise]);
  channel.sender.pump();
  if (report === 'late') void reportLate(channel, probing);
  else if (report !== null && tell) void channel.readiness.report();
  return answerOf({ report: report === 'late' ? null : report });
}

async function reportLate(
  channel: Channel,
  probing: Promise<ReadinessReport | null>,
): Promise<void> {
  const { channelId, environment } = channel;
  try {
    if (await probing) await channel.readiness.report();
  } catch (fault) {
    environment.log.warn({ channelId, error: describe(fault) }, 'readiness probe failed');
  }
}

export function channelKind(agenda: ChannelAgenda): Kind {
  return {
    kind: 'channel',
    open: (key, epoch) => new ChannelActor(key, agenda.tenure(key, epoch)),
    acquire(partition, epoch) {
      agenda.inboundCalls.begin(partition);
      return agenda.acquire(partition, epoch);
    },
    flush: (partition) => agenda.drain(partition),
    release(partition) {
      agenda.inboundCalls.end(partition);
      agenda.release(partition);
    },
    restricted: () => agenda.restricted(),
    refusedWebhooks: () => agenda.receiving().flatMap((each) => refusedOf(each) ?? []),
    lateWebhooks: () => agenda.receiving().flatMap((each) => lateOf(each) ?? []),
    nudge(partition, payload) {
      if (isInboundCallsNudge(payload)) agenda.inboundCalls.add(partition, payload);
      else agenda.nudge(partition, payload as SendNudge);
    },
  };
}
