/** A server that does not answer is told of: when, how often, and with what. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AwaitedServer, WaitReporter } from '../../../../infra/adapters/log/wait-reporter.ts';
import { mongoHosts } from '../../../../infra/adapters/mongo/address.ts';
import { natsHosts } from '../../../../infra/adapters/nats/access.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MONGODB = { name: 'MongoDB', where: 'db.internal:27017' };

function waitFor(server: AwaitedServer, firstMs?: number) {
  const clock = new ManualClock();
  const told: string[] = [];
  const tell = (sentence: string) => told.push(sentence);
  const first = firstMs === undefined ? {} : { firstMs };
  const waiting = new WaitReporter(server, { clock, onWait: tell, onAnswered: tell, ...first });
  return { clock, told, waiting };
}

describe('a wait', () => {
  test('is told after a second and every 10 s, with the cause of the last failure', () => {
    const { clock, told, waiting } = waitFor(MONGODB);
    clock.advance(999);
    assert.deepEqual(told, []);
    clock.advance(1);
    clock.advance(10_000);
    assert.equal(told.length, 2);
    assert.equal(told[1], 'waiting for MongoDB at db.internal:27017, for 11 s now');
    waiting.failed(new Error('connect ECONNREFUSED 10.0.0.9:27017'));
    assert.equal(told.length, 3, 'the first cause is told at once');
    waiting.failed(new Error('getaddrinfo ENOTFOUND db.internal'));
    for (let n = 0; n < 5; n += 1) clock.advance(10_000);
    assert.equal(told.length, 8);
    const waits = 'waiting for MongoDB at db.internal:27017';
    assert.equal(told[0], waits);
    assert.equal(told[2], `${waits}, for 11 s now: connect ECONNREFUSED 10.0.0.9:27017`);
    assert.equal(told[7], `${waits}, for 61 s now: getaddrinfo ENOTFOUND db.internal`);
  });

  test('that ends is told to have ended, and nothing after it', () => {
    const { clock, told, waiting } = waitFor(MONGODB);
    clock.advance(1_000);
    waiting.answered();
    clock.advance(60_000);
    assert.deepEqual(told.slice(1), ['MongoDB answers at db.internal:27017']);
    assert.equal(clock.waiting, 0);
  });

  test('of less than a second is not told at all', () => {
    const { clock, told, waiting } = waitFor(MONGODB);
    clock.advance(900);
    waiting.answered();
    clock.advance(60_000);
    assert.deepEqual(told, []);
  });

  test('that is given up is told no more', () => {
    const { clock, told, waiting } = waitFor(MONGODB, 5_000);
    clock.advance(5_000);
    waiting.stop();
    clock.advance(60_000);
    assert.equal(told.length, 1);
  });

  test('tells no credentials that a failure repeats', () => {
    const { clock, told, waiting } = waitFor(MONGODB);
    waiting.failed(new Error('mongodb://ana:hunter2@db.internal is wrong'));
    clock.advance(1_000);
    const sentence = `waiting for MongoDB at ${MONGODB.where}: mongodb://db.internal is wrong`;
    assert.equal(told[0], sentence);
  });
});

describe('an address as it is told', () => {
  const PLACES = [
    ['mongodb://ana:a%2Fb@db-1:27017,db-2/vendas?replicaSet=rs', 'db-1:27017,db-2'],
    ['mongodb+srv://ana:pass@cluster.example.com/', 'cluster.example.com'],
    ['mongodb://%2Fsrv%2Fdata%2Fmongo.sock/?directConnection=true', '/srv/data/mongo.sock'],
  ] as const;

  for (const [url, place] of PLACES) {
    test(`${url} is ${place}`, () => assert.equal(mongoHosts(url), place));
  }

  test('has several servers of a bus, and no token', () => {
    assert.equal(natsHosts('nats://t0ken@a:4222, tls://t0ken@b:4222'), 'a:4222, tls://b:4222');
    assert.equal(natsHosts('nats://ana:pass@a:4222'), 'a:4222');
  });
});
