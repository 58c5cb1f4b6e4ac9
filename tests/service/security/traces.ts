/** Everything that a stack leaves behind or shows: where a secret must not be. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import type { Stack } from '../../support/stack.ts';

export interface Trace {
  readonly where: string;
  readonly text: string;
}

/** The key of the vault, and the addresses of this start. */
const OWNERS: ReadonlySet<string> = new Set(['secrets.key', 'run.json']);

/** Every document of every collection, as text. */
export async function storedBy(stack: Stack): Promise<readonly Trace[]> {
  await using client = new MongoClient(stack.runFile().mongodbUrl);
  const { databases } = await client.db().admin().listDatabases();
  const own = databases.filter(({ name }) => !['admin', 'config', 'local'].includes(name));
  const traces = await Promise.all(own.map(({ name }) => documentsOf(client, name)));
  return traces.flat();
}

async function documentsOf(client: MongoClient, database: string): Promise<readonly Trace[]> {
  const collections = await client.db(database).collections();
  const traces = collections.map(async (collection) => {
    const documents = await collection.find().toArray();
    return documents.map((document) => ({
      where: `${database}.${collection.collectionName}`,
      text: textOf(document),
    }));
  });
  return (await Promise.all(traces)).flat();
}

/** Bytes as they are, not in base64. */
function textOf(document: Document): string {
  return JSON.stringify(document, (_, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
}

/** Every file of the data folder but those that hold secrets for their owner alone. */
export function filesOf({ dataDir }: Stack): readonly Trace[] {
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !OWNERS.has(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { where: relative(dataDir, path), text: readFileSync(path, 'latin1') };
    });
}

/** The secret and the ways in which it is usually written. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
}

/** `where: name of the secret`, of each that was found. */
export function found(
  traces: readonly Trace[],
  secrets: Readonly<Record<string, string>>,
): readonly string[] {
  const seen = traces.flatMap(({ where, text }) =>
    Object.entries(secrets)
      .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
      .map(([name]) => `${where}: ${name}`),
  );
  return [...new Set(seen)];
}
