/**
 * `recado listen` as its own process, and the local program that it forwards to. That one verifies
 * both signatures, and answers some events with 500 once.
 */

import { resolve } from 'node:path';
import { verify } from '../../../../infra/kit/client/index.ts';
import { type Arrived, type Recording, record } from '../../../support/stand-ins/server.ts';
import type { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { KilledProgram } from './killed-program.ts';
import type { Consumer, Life } from './sighting.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../../infra/programs/cli/main.ts');
const FAILING = 0.03;

export interface ForwardingOptions {
  readonly name: string;
  readonly key: string;
  readonly baseUrl: string;
  readonly events: string;
  readonly folder: string;
  readonly random: SeededRandom;
}

export class Forwarding implements Consumer {
  readonly reading = 'forwarded';
  readonly name: string;
  readonly key: string;
  readonly #server: Recording;
  readonly #listening: KilledProgram;
  readonly #random: SeededRandom;
  readonly #known = new Set<string>();
  /** Secrets that it has printed, over its lives. */
  readonly #secrets = new Set<string>();
  readonly #unsigned: string[] = [];

  private constructor(options: ForwardingOptions, server: Recording) {
    const { name, key, baseUrl, events, folder, random } = options;
    this.name = name;
    this.key = key;
    this.#random = random;
    this.#server = server;
    this.#listening = new KilledProgram({
      ...{ program: PROGRAM, folder },
      args: (life) => [
        ...['listen', '--url', baseUrl, '--key', key, '--name', name, '--events', events],
        ...['--forward-to', `${server.url}/${life}`],
      ],
    });
  }

  static async start(options: ForwardingOptions): Promise<Forwarding> {
    const server = await record((arrived) => forwarding.#take(arrived));
    const forwarding = new Forwarding(options, server);
    return forwarding;
  }

  get lives(): readonly Life[] {
    return this.#listening.lives;
  }

  get faults(): readonly string[] {
    const unsigned = this.#unsigned.map((id) => `${id} came without a valid signature`);
    const secrets = this.#secrets.size > 1 ? ['the secret of the name was not kept'] : [];
    return [...this.#listening.faults, ...unsigned, ...secrets];
  }

  kill(): Promise<void> {
    return this.#listening.kill();
  }

  async close(): Promise<void> {
    await this.#listening.close();
    await this.#server.close();
  }

  #take({ path, headers, bytes }: Arrived): number {
    const id = String(headers['x-service-delivery']);
    const event = String(headers['x-service-event']);
    const [secret = ''] = /whsec_\S+/.exec(this.#listening.output) ?? [...this.#secrets];
    this.#secrets.add(secret);
    if (!this.#isSigned(secret, { headers, bytes })) this.#unsigned.push(id);
    const isTaken = this.#known.has(id) || !this.#random.happens(FAILING);
    this.#known.add(id);
    const life = this.#listening.lives[Number(path.slice(1))];
    life?.sightings.push({ id, event, data: bytes.toString('utf8'), isTaken });
    return isTaken ? 204 : 500;
  }

  #isSigned(
    secret: string,
    { headers, bytes }: { headers: NodeJS.Dict<string | string[]>; bytes: Buffer },
  ): boolean {
    try {
      for (const signature of ['standard', 'service'] as const) {
        verify(secret, headers, bytes, { signature });
      }
      return true;
    } catch {
      return false;
    }
  }
}
