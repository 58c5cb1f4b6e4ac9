/** `DATA_DIR/run.json`: addresses and processes of the running instance (C11.17). */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RunFile {
  readonly baseUrl: string;
  /** The panel's; null where none runs. */
  readonly panelUrl: string | null;
  readonly natsUrl: string;
  /** Of the operator's own server. */
  readonly natsCaFile?: string | undefined;
  readonly natsCredsFile?: string | undefined;
  readonly natsPrefix: string;
  readonly mongodbUrl: string;
  readonly sandboxUrl: string;
  readonly metricsUrl: string;
  /** The Node.js binary in use. */
  readonly node: string;
  /** The real processes' ids per role, no wrappers. */
  readonly pids: Readonly<Record<string, readonly number[]>>;
}

/** Replaces the file atomically. Only its owner may read it: addresses may contain passwords. */
export function writeRunFile(dataDir: string, run: RunFile): void {
  const draft = `${fileOf(dataDir)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, fileOf(dataDir));
}

export function removeRunFile(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'run.json');
}
