/**
 * Unmatched changes: edits and deletions that arrive before their message. They are kept for a day
 * under their author's conversation, the direction and the canonical id. Once the message is on
 * record, they are applied to it.
 *
 * An owner knows which changes it has kept itself. An earlier owner's changes expire within a day:
 * from then on the owner need not read for every message.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { Changes, MessageChange } from '../domain/message-change.ts';
import type { ChannelEnvironment } from './configuration.ts';

const KNOWN_MAX = 20_000;

interface UnmatchedDocument extends Document, Changes {}

export class UnmatchedChanges {
  readonly #environment: Pick<ChannelEnvironment, 'store' | 'clock'>;
  readonly #keptMs: number;
  readonly #beganAt: number;
  readonly #known = new GenerationalCache<string, true>(KNOWN_MAX);

  /** @param keptMs milliseconds until kept changes are swept */
  constructor(environment: Pick<ChannelEnvironment, 'store' | 'clock'>, keptMs: number) {
    this.#environment = environment;
    this.#keptMs = keptMs;
    this.#beganAt = environment.clock.now();
  }

  /** Resolves when the change is durable. A message's newest edit and newest deletion are kept. */
  async keep(name: string, change: MessageChange): Promise<void> {
    const { store, clock } = this.#environment;
    this.#known.set(name, true);
    const { at } = change;
    const $max =
      change.type === 'edit' ? { edit: { at, text: change.text } } : { deletion: { at } };
    const [kept] = await store.commit([
      {
        update: 'externals',
        filter: { _id: name },
        change: { $max, $set: { at: clock.now() } },
        upsert: true,
      },
    ]);
    if (kept?.ok !== true) throw new Error('the change was not kept', { cause: kept });
  }

  /** Changes in the order in which they apply. */
  async find(name: string): Promise<readonly MessageChange[]> {
    if (!this.#mayHave(name)) return [];
    const kept = await this.#environment.store.byId<UnmatchedDocument>('externals', name);
    return [
      ...(kept?.edit ? [{ type: 'edit' as const, ...kept.edit }] : []),
      ...(kept?.deletion ? [{ type: 'deletion' as const, ...kept.deletion }] : []),
    ];
  }

  async forget(name: string): Promise<void> {
    await this.#environment.store.commit([{ remove: 'externals', filter: { _id: name } }]);
    this.#known.delete(name);
  }

  #mayHave(name: string): boolean {
    const isYoung = this.#environment.clock.now() - this.#beganAt < this.#keptMs;
    return isYoung || this.#known.get(name) === true;
  }
}
