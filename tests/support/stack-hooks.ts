/**
 * What a test file has while its tests run: each is started before the first and ended after the
 * last. Declare it beside the tests: nothing of it can be read while the file is loaded.
 */
import { before } from 'node:test';
import { type Db, MongoClient } from 'mongodb';
import { databaseOf } from '../../infra/adapters/mongo/client.ts';
import { type Organization, type OrganizationOptions, organizations } from './organization.ts';
import { shareStack } from './shared-stack.ts';
import type { Stack } from './stack.ts';
import { type Subscriber, startSubscriber } from './stand-ins/subscriber.ts';
import { useUntil } from './test-hooks.ts';

export { useUntil };

/** The service of this process, unless the file starts one of its own. */
export function useStack(start: () => Promise<Stack> = shareStack): Stack {
  return useUntil(start, (stack) => stack.stop());
}

/** Declared after the stack, which tells it of events until its end. */
export function useSubscriber(): Subscriber {
  return useUntil(startSubscriber, (subscriber) => subscriber.close());
}

/** A function gives options that only a started service or subscriber tells. */
export function useOrganizations<const Ref extends string>(
  stack: Stack,
  options: OptionsByRef<Ref> | (() => OptionsByRef<Ref>),
): Readonly<Record<Ref, Organization>> {
  const used: Record<Ref, Organization> = new Proxy(Object.create(Object.prototype), {
    get: (target, ref) => {
      if (!Reflect.has(target, ref)) Reflect.set(target, ref, {});
      return Reflect.get(target, ref);
    },
  });
  before(async () => {
    const made = await organizations(stack, typeof options === 'function' ? options() : options);
    for (const [ref, org] of Object.entries(made)) Object.assign(Reflect.get(used, ref), org);
  });
  return used;
}

type OptionsByRef<Ref extends string> = Readonly<Record<Ref, OrganizationOptions>>;

/** The database of a service, with the client that a reader of it may need. */
export function useDatabase(stack: Stack): { readonly client: MongoClient; readonly db: Db } {
  return useUntil(
    async () => {
      const { mongodbUrl } = stack.runFile();
      const client = await MongoClient.connect(mongodbUrl, { retryWrites: false });
      return { client, db: databaseOf(client, mongodbUrl) };
    },
    ({ client }) => client.close(),
  );
}
