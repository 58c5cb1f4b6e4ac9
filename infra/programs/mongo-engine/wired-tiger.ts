/**
 * The storage engine's own settings, which it reads from a file in its folder.
 *
 * Left alone, the engine shows a commit to readers, and answers a write that waits for no journal,
 * up to 100 ms before its log is written: killed then, it comes back without what others have
 * acted on. With `transaction_sync` every commit is handed to the operating system first.
 * `method=none` leaves the flush to the disk to the journal, which whoever needs it waits for: one
 * for each change of a group would cost a group of changes a second.
 *
 * The threads that clear its cache come and go with what there is to clear. It would keep four, a
 * tenth of what it costs at rest; under a load of inserts it has three or four within seconds and
 * takes as many a second, a minute later it has one again.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'WiredTiger.config';
/** The engine dies of a file without a line's end. */
const SETTINGS = [
  'transaction_sync=(enabled=true,method=none)',
  'eviction=(threads_min=1,threads_max=4)',
];

/** To be called before the engine opens the folder. */
export function prepareStorage(folder: string): void {
  writeFileSync(join(folder, FILE), `${SETTINGS.join(',')}\n`, { mode: 0o600 });
}
