/** Parts of MONGODB_URL that are read without the driver. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { databaseOf } from '../../../../../../infra/adapters/mongo/client.ts';

const NAMED = [
  ['mongodb://%2Ftmp%2Fdata%2Fmongo.sock/?directConnection=true', 'recado'],
  ['mongodb://127.0.0.1:27017', 'recado'],
  ['mongodb://127.0.0.1:27017/?w=1', 'recado'],
  ['mongodb://127.0.0.1:27017/vendas', 'vendas'],
  ['mongodb://ana:a%2Fb%40c@db-1:27017,db-2:27018,db-3/vendas?replicaSet=rs', 'vendas'],
  ['mongodb://db-1:27017,db-2:27018/?replicaSet=rs', 'recado'],
] as const;

for (const [url, name] of NAMED) {
  test(`${url} is the database ${name}`, async () => {
    const client = new MongoClient(url);
    assert.equal(databaseOf(client, url).databaseName, name);
    await client.close();
  });
}
