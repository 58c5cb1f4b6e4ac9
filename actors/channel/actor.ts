/**
 * Actor of one channel. Every command is a shared handler: the channel sender does the work outside
 * the mailbox.
 */

import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { NetworkChallenge, NetworkWebhook } from '../../shared/wire/commands.ts';
import type { FetchMedia } from '../../shared/wire/media-commands.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { ChannelSender } from './channel-sender.ts';
import type { ChannelSenders } from './channel-senders.ts';
import type { Configure, ProbeAnswer } from './commands.ts';
import { fetchMedia } from './fetch-media.ts';
import { answerChallenge, receiveWebhook } from './webhook.ts';

/** Shorter than the operator's own wait for the answer. */
const PROBED_WITHIN_MS = 3_000;

export class ChannelActor implements Actor {
  readonly #id: string;
  readonly #senders: ChannelSenders;

  constructor(id: string, senders: ChannelSenders) {
    this.#id = id;
    this.#senders = senders;
  }

  /**
   * Webhooks wait for conversations and networks, so no command of a channel may hold the mailbox.
   */
  sharedHandler(command: Command, context: TurnContext): Promise<Answer> | undefined {
    const sender = this.#senders.of(this.#id);
    return answerWith(sender, command, context)?.finally(() => this.#senders.dispose(sender));
  }

  turn(command: Command): Promise<Answer> {
    throw new TypeError(`a channel knows no command ${command.type}`);
  }
}

function answerWith(
  sender: ChannelSender,
  command: Command,
  context: TurnContext,
): Promise<Answer> | undefined {
  switch (command.type) {
    case 'webhook':
      return receiveWebhook(sender, command as unknown as NetworkWebhook, context);
    case 'challenge':
      return answerChallenge(sender, command as unknown as NetworkChallenge);
    case 'fetch-media':
      return fetchMedia(sender, command as unknown as FetchMedia);
    case 'configure':
      return configure(sender, command as Configure);
    default:
      return undefined;
  }
}

/**
 * Probes the network under the changed configuration. A slow network does not delay the answer: the
 * channel reports its result to the organization later. With `tell` it also reports a result in
 * time, since the organization's turn has ended.
 */
async function configure(sender: ChannelSender, { tell = false }: Configure): Promise<Answer> {
  const { clock } = sender.environment;
  const late = Promise.withResolvers<'late'>();
  const cancel = clock.after(PROBED_WITHIN_MS, () => late.resolve('late'));
  const probing = sender.reconfigure().finally(cancel);
  const report = await Promise.race([probing, late.promise]);
  sender.pump();
  if (report === 'late') void reportLate(sender, probing);
  else if (report !== null && tell) void sender.readiness.report();
  const body: ProbeAnswer = { told: report === 'late' ? null : report };
  return { status: 200, body: JSON.stringify(body) };
}

async function reportLate(
  sender: ChannelSender,
  probing: Promise<ReadinessReport | null>,
): Promise<void> {
  const { channelId, environment } = sender;
  try {
    if (await probing) await sender.readiness.report();
  } catch (fault) {
    environment.log.warn({ channelId, error: describe(fault) }, 'readiness probe failed');
  }
}
