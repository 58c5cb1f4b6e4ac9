/**
 * Unmatched changes: edits and deletions that arrive before their message. They are kept for a day
 * under their author's conversation, the direction and the canonical id. Once the message is on
 * record, they are applied to it.
 *
 * An owner knows which changes it has kept itself. An earlier owner's changes expire within a day:
 * from then on the owner need not read for every message.
 */
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import type { MessageChange } from '../../domain/conversation/message-change.ts';
import {
  type KeepingEnvironment,
  KNOWN_MAX,
  keepDurably,
  UNMATCHED_TTL_MS,
} from '../sending/unmatched-receipts.ts';

export class UnmatchedChanges {
  readonly #environment: KeepingEnvironment;
  readonly #beganAt: number;
  readonly #known = new GenerationalCache<string, true>(KNOWN_MAX);

  constructor(environment: KeepingEnvironment) {
    this.#environment = environment;
    this.#beganAt = environment.clock.now();
  }

  /** Resolves when the change is durable. A message's newest edit and newest deletion are kept. */
  async keep(name: string, change: MessageChange): Promise<void> {
    this.#known.set(name, true);
    const { at } = change;
    const $max =
      change.type === 'edit' ? { edit: { at, text: change.text } } : { deletion: { at } };
    await keepDurably(this.#environment, { _id: name, what: 'change', change: { $max } });
  }

  /** Changes in the order in which they apply. */
  async find(name: string): Promise<readonly MessageChange[]> {
    const { store, clock } = this.#environment;
    const isYoung = clock.now() - this.#beganAt < UNMATCHED_TTL_MS;
    if (!isYoung && this.#known.get(name) !== true) return [];
    const kept = await store.byId('externals', name);
    return [
      ...(kept?.edit ? [{ type: 'edit' as const, ...kept.edit }] : []),
      ...(kept?.deletion ? [{ type: 'deletion' as const, ...kept.deletion }] : []),
    ];
  }

  async forget(name: string): Promise<void> {
    await this.#environment.store.commit([{ remove: 'externals', filter: { _id: name } }]);
    this.#known.delete(name);
  }
}
