/** kill -9 of the MongoDB engine under a load of sends (I1, I2). */
import { after, before, test } from 'node:test';
import { killHard } from '../../support/kills.ts';
import { type OpenLoadFixture, openLoadFixture } from './load-fixture.ts';
import { judge } from './verdict.ts';

let fixture: OpenLoadFixture;

before(async () => {
  fixture = await openLoadFixture();
});
after(() => fixture?.close());

test('every accepted message is still there when the engine comes back, once and in order', async (t) => {
  const { stack, load } = fixture;
  await load.progress(6);
  await killHard(stack, 'mongo');
  await load.progress(6);
  await load.stop();
  t.diagnostic(JSON.stringify(await judge(fixture)));
});
