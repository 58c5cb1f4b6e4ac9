/** kill -9 of the process that decides under a load of sends (I1, I2, I8, I23). */
import { after, before, test } from 'node:test';
import { killHard } from '../../support/kills.ts';
import { type OpenLoadFixture, openLoadFixture } from './load-fixture.ts';
import { judge } from './verdict.ts';

let fixture: OpenLoadFixture;

before(async () => {
  fixture = await openLoadFixture();
});
after(() => fixture?.close());

test('killed three times while calls are under way, it loses, doubles and reorders nothing', async (t) => {
  const { stack, load } = fixture;
  await load.progress(6);
  for (const _ of [1, 2, 3]) {
    await killHard(stack, 'actors');
    await load.progress(6);
  }
  await load.stop();
  t.diagnostic(JSON.stringify(await judge(fixture)));
});
