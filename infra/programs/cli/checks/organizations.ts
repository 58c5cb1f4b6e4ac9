/**
 * Every organization of the record, for a check. A process with actors makes the checks too, beside
 * its turns: each read is short, and parsed as it comes.
 */
import type { Db } from 'mongodb';
import * as v from 'valibot';

const BATCH = 100;

export async function readOrganizations<Organization>(
  db: Pick<Db, 'collection'>,
  fields: readonly string[],
  schema: v.GenericSchema<unknown, Organization>,
): Promise<readonly Organization[]> {
  const projection = Object.fromEntries(fields.map((field) => [field, 1]));
  const found = db.collection('organizations').find({}, { projection, batchSize: BATCH });
  const organizations: Organization[] = [];
  for await (const each of found) organizations.push(v.parse(schema, each));
  return organizations;
}
