/** Name and place of a database: the folder of the embedded engine, or the hosts of a server. */
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { mongoHosts } from '../../../adapters/mongo/address.ts';
import type { Config } from '../../../config/config.ts';
import { engineAddress } from './address.ts';

export function describeDatabase(
  { databaseName }: Db,
  mongodbUrl: string,
  { dataDir }: Pick<Config, 'dataDir'>,
): string {
  const place =
    mongodbUrl === engineAddress(dataDir).url
      ? `in ${join(dataDir, 'mongo')}`
      : `at ${mongoHosts(mongodbUrl)}`;
  return `The database "${databaseName}" ${place}`;
}
