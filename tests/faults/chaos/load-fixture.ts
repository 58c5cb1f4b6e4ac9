/** A stack under load with a subscriber. */
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

export interface OpenLoadFixture extends LoadFixture {
  close(): Promise<void>;
}

export async function openLoadFixture(
  settings: Readonly<Record<string, string>> = {},
): Promise<OpenLoadFixture> {
  const stack = await startStack({ settings: { EVENT_RETRY_SCHEDULE: SCHEDULE, ...settings } });
  const subscriber = await startSubscriber();
  const close = async () => {
    await stack.stop();
    await subscriber.close();
  };
  const org = await organizationOf(stack, subscriber).catch(async (cause) => {
    await close();
    throw cause;
  });
  const load = startLoad(stack, org);
  return {
    ...{ stack, org, subscriber, load },
    close: async () => {
      await load.stop();
      await close();
    },
  };
}

async function organizationOf(stack: Stack, subscriber: Subscriber): Promise<Organization> {
  const subscriptions = [{ ref: 'all', url: `${subscriber.url}/all`, events: ['*'] }];
  return (await organizations(stack, { chaos: { subscriptions } })).chaos;
}
