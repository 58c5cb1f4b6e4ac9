/**
 * The storage engine's own settings, which it reads from a file in its folder.
 *
 * Left alone, the embedded engine answers a journaled write before its log is written whenever
 * another one is being flushed: killed then, it forgets up to some 30 ms of what it had answered.
 * With `transaction_sync` every commit is handed to the operating system before it is answered.
 * `method=none` leaves the flush to the disk to the journal: one for each change of a group would
 * cost a group of changes a second.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'WiredTiger.config';
/** The engine dies of a file without a line's end. */
const SETTINGS = 'transaction_sync=(enabled=true,method=none)\n';

/** To be called before the engine opens the folder. */
export function prepareStorage(folder: string): void {
  writeFileSync(join(folder, FILE), SETTINGS, { mode: 0o600 });
}
