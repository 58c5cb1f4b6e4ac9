/** A bus whose actors and queries are functions of the test, with everything asked kept. */

import type { Address, Answer, AskOptions, Bus, Command } from '../../../shared/ports/bus.ts';

/** Any command, its fields to be read by name. */
type AskedCommand = Command & Readonly<Record<string, unknown>>;

export interface Asked {
  readonly address: Address;
  readonly command: AskedCommand;
  readonly options: AskOptions;
}

export interface Queried {
  readonly resource: string;
  readonly payload: unknown;
}

export class MemoryBus implements Bus {
  readonly asked: Asked[] = [];
  readonly queried: Queried[] = [];
  readonly #commands: Asked[] = [];
  up = true;
  onAsk: (asked: Asked) => Answer | Promise<Answer> = () => ({ status: 200, body: '{"data":{}}' });
  onQuery: (queried: Queried) => Answer | Promise<Answer> = () => ({
    status: 200,
    body: '{"data":[]}',
  });

  async ask(address: Address, asked: Command, options: AskOptions): Promise<Answer> {
    const command: AskedCommand = { ...asked };
    const { admission, ...rest } = options;
    if (!admission) return this.#answer({ address, command, options });
    // As an owner does: the admission that rides along first, then the command if it agrees.
    const said = await this.#answer({
      address: { kind: 'organization', key: admission.orgId },
      command: { ...admission.command },
      options: rest,
    });
    if (said.admission?.outcome !== 'admitted') return said;
    const ran = await this.#answer({ address, command, options: rest });
    return { ...ran, admission: said.admission };
  }

  async #answer(asked: Asked): Promise<Answer> {
    this.asked.push(asked);
    if (asked.command.type !== 'admit') this.#commands.push(asked);
    return this.onAsk(asked);
  }

  async query(resource: string, payload: unknown): Promise<Answer> {
    // Nobody is on record: bare digits are read nationally.
    if (resource === 'phones-on-record') return { status: 200, body: '{"onRecord":[]}' };
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
    return this.#commands;
  }
}
