import { fileEngine } from '../../support/engine.ts';
import type { Store } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';

/** Stores of a file's tests, by name: on the real engine, and as the model of it. */
export function bothStores(): readonly (readonly [string, () => Store])[] {
  const engine = fileEngine();
  return [
    ['the real engine', () => engine.store],
    ['the simulation’s model of it', () => modelStore(new Database())],
  ];
}
