import { GenerationalCache } from '../../shared/generational-cache.ts';
import { readSteps } from '../../shared/provisioning/flow-steps.ts';
import type { StartableFlow } from '../domain/flow/context.ts';
import type { Store } from '../model/collections.ts';
import type { FlowVersionDocument } from '../model/flow.ts';

export type Version = Pick<StartableFlow, 'steps' | 'firstStepId'>;

/** Versions in memory; a forgotten one is read again. */
const CACHED_MAX = 500;

/** Ids of written versions; a forgotten one is written again, under the same id. */
const WRITTEN_MAX = 10_000;

/**
 * Versions of a flow's steps: written once under flow and content digest, before a run begins in
 * them, and immutable. A flow may therefore be edited while contacts are in it.
 */
export class FlowVersions {
  readonly #store: Store;
  readonly #known: GenerationalCache<string, Version>;
  readonly #written: GenerationalCache<string, true>;

  constructor(store: Store, { cachedMax = CACHED_MAX, writtenMax = WRITTEN_MAX } = {}) {
    this.#store = store;
    this.#known = new GenerationalCache(cachedMax);
    this.#written = new GenerationalCache(writtenMax);
  }

  /** Null for a version that was never written. */
  async find(versionId: string): Promise<Version | null> {
    const known = this.#known.get(versionId);
    if (known) return known;
    const document = await this.#store.byId('flowVersions', versionId);
    const steps = readSteps(document?.steps ?? []);
    const [first] = steps;
    if (!first) return null;
    const byId = new Map(steps.map((step) => [step.id, step]));
    const version = { steps: byId, firstStepId: first.id };
    this.#known.set(versionId, version);
    return version;
  }

  /** Resolves when the version is journaled, whichever process has written it. */
  async write(version: FlowVersionDocument): Promise<void> {
    if (this.#written.get(version._id)) return;
    const [written] = await this.#store.commit([{ insert: 'flowVersions', document: version }]);
    if (written && 'error' in written) throw written.error;
    this.#written.set(version._id, true);
  }
}
