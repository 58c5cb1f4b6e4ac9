/** kill -9 of the gateway under a load of sends (I1, I8). */
import { after, before, test } from 'node:test';
import { killHard } from '../../support/kills.ts';
import { type OpenLoadFixture, openLoadFixture } from './load-fixture.ts';
import { judge } from './verdict.ts';

let fixture: OpenLoadFixture;

before(async () => {
  fixture = await openLoadFixture();
});
after(() => fixture?.close());

test('a call that it could not answer any more has happened once or not at all', async (t) => {
  const { stack, load } = fixture;
  await load.progress(6);
  for (const _ of [1, 2]) {
    await killHard(stack, 'gateway');
    await load.progress(6);
  }
  await load.stop();
  t.diagnostic(JSON.stringify(await judge(fixture)));
});
