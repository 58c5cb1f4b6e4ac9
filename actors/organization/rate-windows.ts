/**
 * The rate windows and last uses of an organization's keys: in memory, written down once a second
 * and at every hand-over, so that a crash re-admits at most one second's calls (design: Ownership).
 */
import type { Document, Write } from '../../shared/ports.ts';
import { decideRoom, type RoomDecision, type Window } from '../domain/admission.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';

const WRITE_EVERY_MS = 1_000;

interface WindowsDocument extends Document {
  readonly org?: Window;
  readonly keys: Readonly<Record<string, Window>>;
  readonly lastUsedAt: Readonly<Record<string, number>>;
}

export class RateWindows {
  readonly #orgId: string;
  readonly #world: World;
  readonly #keys: Map<string, Window>;
  readonly #lastUsedAt: Map<string, number>;
  #org: Window | undefined;
  #cancelWrite: (() => void) | null = null;

  constructor(orgId: string, world: World, known: WindowsDocument | null) {
    this.#orgId = orgId;
    this.#world = world;
    this.#org = known?.org;
    this.#keys = new Map(Object.entries(known?.keys ?? {}));
    this.#lastUsedAt = new Map(Object.entries(known?.lastUsedAt ?? {}));
  }

  static async load(orgId: string, world: World): Promise<RateWindows> {
    const known = await world.store.findOne<WindowsDocument>('windows', { _id: orgId });
    return new RateWindows(orgId, world, known);
  }

  admit(keyId: string, limits: { keyLimit: number; orgLimit: number }): RoomDecision {
    const now = this.#world.clock.now();
    const room = { key: this.#keys.get(keyId), org: this.#org, ...limits };
    const decision = decideRoom(room, now);
    this.#keys.set(keyId, decision.key);
    this.#org = decision.org;
    this.#lastUsedAt.set(keyId, now);
    this.#cancelWrite ??= this.#world.clock.after(WRITE_EVERY_MS, () => void this.flush());
    return decision;
  }

  lastUsedAt(keyId: string): number | null {
    return this.#lastUsedAt.get(keyId) ?? null;
  }

  get dirty(): boolean {
    return this.#cancelWrite !== null;
  }

  async flush(): Promise<void> {
    if (!this.#cancelWrite) return;
    this.close();
    try {
      await this.#world.store.commit([this.#write()]);
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not write the rate windows down');
    }
  }

  close(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = null;
  }

  #write(): Write {
    return {
      update: 'windows',
      filter: { _id: this.#orgId },
      change: {
        $set: {
          org: this.#org,
          keys: Object.fromEntries(this.#keys),
          lastUsedAt: Object.fromEntries(this.#lastUsedAt),
        },
      },
      upsert: true,
    };
  }
}
