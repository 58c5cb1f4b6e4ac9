/** A stack under load with a subscriber. */
import type { TestContext } from 'node:test';
import { type Organization, organizations } from '../../support/organization.ts';
import type { Stack } from '../../support/stack.ts';
import { startStack } from '../../support/stack.ts';
import { type Subscriber, startSubscriber } from '../../support/stand-ins/subscriber.ts';
import { type Load, startLoad } from './load.ts';

export const SCHEDULE = '200ms,400ms,800ms,1s,2s,4s';

export interface LoadFixture {
  readonly stack: Stack;
  readonly org: Organization;
  readonly subscriber: Subscriber;
  readonly load: Load;
}

/** Closed by the test's end, however far it has come. */
export async function openLoadFixture(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<LoadFixture> {
  const open: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const close of open.reverse()) await close();
  });
  const subscriber = await startSubscriber();
  open.push(() => subscriber.close());
  const stack = await startStack({ settings: { EVENT_RETRY_SCHEDULE: SCHEDULE, ...settings } });
  open.push(() => stack.stop());
  const subscriptions = [{ ref: 'all', url: `${subscriber.url}/all`, events: ['*'] }];
  const { chaos: org } = await organizations(stack, { chaos: { subscriptions } });
  const load = startLoad(stack, org);
  open.push(() => load.stop());
  return { stack, org, subscriber, load };
}
