/** One channel as the runtime sees it: the desk does the work, beside the mailbox. */
import type { NetworkChallenge, NetworkWebhook } from '../../shared/commands.ts';
import type { FetchMedia } from '../../shared/media-commands.ts';
import type { Answer, Command } from '../../shared/ports.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import type { Desk } from './desk.ts';
import type { Desks } from './desks.ts';
import { fetchMedia } from './fetch-media.ts';
import { answerChallenge, receiveWebhook } from './webhook.ts';

export class ChannelActor implements Actor {
  readonly #id: string;
  readonly #desks: Desks;

  constructor(id: string, desks: Desks) {
    this.#id = id;
    this.#desks = desks;
  }

  /** Webhooks wait for conversations and networks: none of that may hold the mailbox. */
  beside(command: Command, context: TurnContext): Promise<Answer> | undefined {
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
      return configure(desk);
    default:
      return undefined;
  }
}

async function configure(desk: Desk): Promise<Answer> {
  const readiness = await desk.reconfigure();
  desk.pump();
  return { status: 200, body: JSON.stringify(readiness) };
}
