/** kill -9 of the NATS server under a load of sends (I25). */
import { after, before, test } from 'node:test';
import { killHard } from '../../support/kills.ts';
import { type OpenLoadFixture, openLoadFixture } from './load-fixture.ts';
import { judge } from './verdict.ts';

let fixture: OpenLoadFixture;

before(async () => {
  fixture = await openLoadFixture();
});
after(() => fixture?.close());

test('without its transport for a moment the service loses, doubles and reorders nothing', async (t) => {
  const { stack, load } = fixture;
  await load.progress(6);
  await killHard(stack, 'nats');
  await load.progress(6);
  await load.stop();
  t.diagnostic(JSON.stringify(await judge(fixture)));
});
