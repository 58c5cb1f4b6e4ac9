/** One channel as the runtime sees it: the desk does the work, beside the mailbox. */
import type { NetworkChallenge, NetworkWebhook } from '../../shared/commands.ts';
import type { FetchMedia } from '../../shared/media-commands.ts';
import type { Answer, Command } from '../../shared/ports.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import type { Desk } from './desk.ts';
import { fetchMedia } from './fetch-media.ts';
import { answerChallenge, receiveWebhook } from './webhook.ts';

export class ChannelActor implements Actor {
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Webhooks wait for conversations and networks: none of that may hold the mailbox. */
  beside(command: Command, context: TurnContext): Promise<Answer> | undefined {
    switch (command.type) {
      case 'webhook':
        return receiveWebhook(this.#desk, command as unknown as NetworkWebhook, context);
      case 'challenge':
        return answerChallenge(this.#desk, command as unknown as NetworkChallenge);
      case 'fetch-media':
        return fetchMedia(this.#desk, command as unknown as FetchMedia);
      case 'configure':
        return this.#configure();
      default:
        return undefined;
    }
  }

  turn(command: Command): Promise<Answer> {
    throw new TypeError(`a channel knows no command ${command.type}`);
  }

  async #configure(): Promise<Answer> {
    const readiness = await this.#desk.reconfigure();
    this.#desk.pump();
    return { status: 200, body: JSON.stringify(readiness) };
  }
}
