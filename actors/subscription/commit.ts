/** Commits writes that must all succeed: a delivery's state only rises, and is never refused. */
import type { CommitOptions, Write } from '../../shared/ports/store.ts';
import type { Environment } from '../environment.ts';

/** Throws the store's error for any of the writes. */
export async function commit(
  { store }: Pick<Environment, 'store'>,
  writes: readonly Write[],
  options?: CommitOptions,
): Promise<void> {
  for (const outcome of await store.commit(writes, options)) {
    if (outcome.ok) continue;
    throw 'error' in outcome ? outcome.error : new Error(`taken already: ${outcome.duplicate}`);
  }
}
