/** A bus whose actors and queries are functions of the test, with everything asked kept. */

import type { Address, Answer, AskOptions, Bus, Command } from '../../shared/ports/bus.ts';
import { ADMITTED, NOT_RUN } from '../../shared/wire/caller.ts';

export interface Asked {
  readonly address: Address;
  readonly command: Command;
  readonly options: AskOptions;
}

export interface Queried {
  readonly resource: string;
  readonly payload: unknown;
}

export class MemoryBus implements Bus {
  readonly asked: Asked[] = [];
  readonly queried: Queried[] = [];
  up = true;
  onAsk: (asked: Asked) => Answer | Promise<Answer> = () => ({ status: 200, body: '{"data":{}}' });
  onQuery: (queried: Queried) => Answer | Promise<Answer> = () => ({
    status: 200,
    body: '{"data":[]}',
  });

  async ask(address: Address, command: Command, options: AskOptions): Promise<Answer> {
    const { admission, ...rest } = options;
    if (!admission) return this.#answer({ address, command, options });
    // As an owner does: the admission that rides along first, then the command if it agrees.
    const said = await this.#answer({
      address: { kind: 'organization', key: admission.orgId },
      command: admission.command,
      options: rest,
    });
    if (said.status !== ADMITTED) return { status: NOT_RUN, body: '', admission: said };
    return { ...(await this.#answer({ address, command, options: rest })), admission: said };
  }

  async #answer(asked: Asked): Promise<Answer> {
    this.asked.push(asked);
    return this.onAsk(asked);
  }

  async query(resource: string, payload: unknown): Promise<Answer> {
    const queried = { resource, payload };
    this.queried.push(queried);
    return this.onQuery(queried);
  }

  nudge(): void {
    throw new Error('the gateway never nudges');
  }

  connected(): boolean {
    return this.up;
  }

  /** Commands that reached an actor, without admissions. */
  commands(): readonly Asked[] {
    return this.asked.filter(({ command }) => command.type !== 'admit');
  }
}
