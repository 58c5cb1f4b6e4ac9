/**
 * Settings of the storage engine, which it reads from a file in its folder.
 *
 * By default a commit is visible to readers up to 100 ms before its log is written. A write that
 * does not wait for the journal is answered in that time too. An engine that is killed then comes
 * back without data that other processes have acted on. With `transaction_sync` every commit first
 * goes to the operating system. The option `method=none` leaves the disk flush to the journal, for
 * writes that wait for it. A flush for each change of a group would make a group last a second.
 *
 * The number of eviction threads follows the load, from one to four. The default keeps four, a
 * tenth of the engine's idle cost. Under a load of inserts there are three or four threads within
 * seconds, and the rate of inserts is the same. A minute later there is one again.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'WiredTiger.config';
/** The engine crashes on a file without a line's end. */
const SETTINGS = [
  'transaction_sync=(enabled=true,method=none)',
  'eviction=(threads_min=1,threads_max=4)',
];

/** To be called before the engine opens the folder. */
export function prepareStorage(folder: string): void {
  writeFileSync(join(folder, FILE), `${SETTINGS.join(',')}\n`, { mode: 0o600 });
}
