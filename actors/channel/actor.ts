/** One channel as the runtime sees it: the desk does the work, beside the mailbox. */
import type { NetworkChallenge, NetworkWebhook } from '../../shared/commands.ts';
import type { FetchMedia } from '../../shared/media-commands.ts';
import type { Answer, Command } from '../../shared/ports.ts';
import type { ToldReadiness } from '../domain/network-readiness.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import { describe } from '../runtime/mailbox.ts';
import type { Configure, ProbeAnswer } from './commands.ts';
import type { Desk } from './desk.ts';
import type { Desks } from './desks.ts';
import { fetchMedia } from './fetch-media.ts';
import { answerChallenge, receiveWebhook } from './webhook.ts';

/** Before the operator's own wait for it ends. */
const PROBED_WITHIN_MS = 3_000;

export class ChannelActor implements Actor {
  readonly #id: string;
  readonly #desks: Desks;

  constructor(id: string, desks: Desks) {
    this.#id = id;
    this.#desks = desks;
  }

  /** Webhooks wait for conversations and networks: none of that may hold the mailbox. */
  sharedHandler(command: Command, context: TurnContext): Promise<Answer> | undefined {
    const desk = this.#desks.of(this.#id);
    return answerAt(desk, command, context)?.finally(() => this.#desks.letGo(desk));
  }

  turn(command: Command): Promise<Answer> {
    throw new TypeError(`a channel knows no command ${command.type}`);
  }
}

function answerAt(desk: Desk, command: Command, context: TurnContext): Promise<Answer> | undefined {
  switch (command.type) {
    case 'webhook':
      return receiveWebhook(desk, command as unknown as NetworkWebhook, context);
    case 'challenge':
      return answerChallenge(desk, command as unknown as NetworkChallenge);
    case 'fetch-media':
      return fetchMedia(desk, command as unknown as FetchMedia);
    case 'configure':
      return configure(desk, command as Configure);
    default:
      return undefined;
  }
}

/**
 * A network that is slow to answer holds nobody up: the organization is told when it has, as it is
 * where its own turn has ended.
 */
async function configure(desk: Desk, { tell = false }: Configure): Promise<Answer> {
  const { clock } = desk.world;
  const late = Promise.withResolvers<'late'>();
  const cancel = clock.after(PROBED_WITHIN_MS, () => late.resolve('late'));
  const probing = desk.reconfigure().finally(cancel);
  const seen = await Promise.race([probing, late.promise]);
  desk.pump();
  if (seen === 'late') void reportLate(desk, probing);
  else if (seen !== null && tell) void desk.readiness.report();
  const body: ProbeAnswer = { told: seen === 'late' ? null : seen };
  return { status: 200, body: JSON.stringify(body) };
}

async function reportLate(desk: Desk, probing: Promise<ToldReadiness | null>): Promise<void> {
  const { channelId, world } = desk;
  try {
    if (await probing) await desk.readiness.report();
  } catch (fault) {
    world.log.warn({ channelId, error: describe(fault) }, 'readiness probe failed');
  }
}
