/** Programs that a test starts by itself, from the supervisor's bundles. */
import { resolve } from 'node:path';
import type { Bundles, Command } from '../../infra/programs/supervisor/bundles/bundles.ts';
import { ownBundles } from '../../infra/programs/supervisor/plans.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let found: Promise<Bundles | null> | undefined;

/** Bundles of the sources as they are; null where programs start from their sources. */
export function bundles(): Promise<Bundles | null> {
  found ??= ownBundles({ root: ROOT, report: () => undefined });
  return found;
}

/** The command that starts this program from its bundle where there is one. */
export async function bundled(command: Command): Promise<Command> {
  return (await bundles())?.commandOf(command) ?? command;
}
