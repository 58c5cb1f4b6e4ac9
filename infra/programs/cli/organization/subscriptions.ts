/** `recado subscriptions list|rotate|enable|test` (D42, D44, D46). */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import * as v from 'valibot';
import { group } from '../output/group.ts';
import { addList, type List, type OfList } from '../output/lists.ts';
import type { Row } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import { listSchema, readAnswer } from '../service/answer.ts';
import { operatorAs } from '../service/operator.ts';
import { askOrganization, findOrganization, locateSubscription } from '../service/organizations.ts';
import type { CommandDraft, Service } from '../service/service.ts';
import { type Delivery, showDelivery } from './deliveries.ts';

const SEED_BYTES = 32;
const POLL_MS = 100;
/** An attempt lasts 10 s at most, and the head of its answer 2 s more. */
const TEST_POLLS_MAX = 150;

/** Name of a subscription: a `ref` or an id, and its organization. */
interface SubscriptionName {
  readonly subscription: string;
  readonly org?: string;
}

async function locate(service: Service, { subscription, org }: SubscriptionName) {
  const orgId = org === undefined ? undefined : await findOrganization(service, org);
  return locateSubscription(service, subscription, orgId);
}

function askSubscription(service: Service, id: string, command: CommandDraft) {
  return service.ask({ kind: 'subscription', key: id }, command);
}

const subscriptionsSchema = v.object({
  data: listSchema.entries.data,
  streams: v.array(
    v.looseObject({ name: v.string(), keyName: v.string(), events: v.array(v.string()) }),
  ),
});

/** Event streams follow: subscriptions whose transport is a connection. */
async function listSubscriptions(service: Service, org?: string) {
  const orgId = await findOrganization(service, org);
  const answer = await askOrganization(service, orgId, { type: 'subscriptions.list' });
  const { data, streams } = readAnswer(subscriptionsSchema, answer);
  const connected = streams.map((stream) => ({
    ...stream,
    ...{ ref: stream.name, url: `stream of ${stream.keyName}` },
    ...{ enabled: true, disabledReason: null },
  }));
  return { data: [...data, ...connected] };
}

const rotatedSchema = v.object({
  id: v.string(),
  secret: v.string(),
  previousValidUntil: v.string(),
});

/** The new secret is printed only this once; the next delivery is signed with it. */
async function rotateSecret(service: Service, name: SubscriptionName) {
  const { id, orgId } = await locate(service, name);
  const seed = randomBytes(SEED_BYTES).toString('base64url');
  const order = { type: 'subscriptions.rotate', subscriptionId: id, seed } as const;
  const by = operatorAs('rotateSubscription');
  const rotated = readAnswer(
    rotatedSchema,
    await askOrganization(service, orgId, { ...order, ...by }),
  );
  await askSubscription(service, id, { type: 'configure' });
  return rotated;
}

const enabledSchema = v.object({ id: v.string(), enabled: v.boolean() });

/** Parked deliveries stay parked: `deliveries retry --subscription … --since …` sends them. */
async function enableSubscription(service: Service, name: SubscriptionName) {
  const { id, orgId } = await locate(service, name);
  const order = { type: 'subscriptions.enable', subscriptionId: id } as const;
  const by = operatorAs('changeSubscription');
  const enabled = readAnswer(
    enabledSchema,
    await askOrganization(service, orgId, { ...order, ...by }),
  );
  await askSubscription(service, id, { type: 'configure' });
  return enabled;
}

const testedSchema = v.object({ deliveryId: v.string() });

/** Sends a `subscription.test` event to one subscription, and shows its result. */
async function testSubscription(service: Service, name: SubscriptionName) {
  const { id } = await locate(service, name);
  const answer = await askSubscription(service, id, { type: 'test' });
  const { deliveryId } = readAnswer(testedSchema, answer);
  for (let poll = 1; ; poll++) {
    const delivery = await showDelivery(service, deliveryId);
    if (delivery.status !== 'pending' || poll === TEST_POLLS_MAX) return delivery;
    await pause(POLL_MS);
  }
}

const SUBSCRIPTION_COMMANDS = [
  {
    name: 'rotate',
    description:
      'makes a new signing secret and prints it, this once; the old one is good for 24 h',
    run: rotateSecret,
  },
  {
    name: 'enable',
    description: 'enables a disabled subscription; what was parked stays so until it is retried',
    run: enableSubscription,
  },
] as const;

const LIST: List<OfList> = {
  description: 'lists the subscriptions and event streams of an organization',
  read: (service, { org }) => listSubscriptions(service, org),
  row: ({ id, ref, url, events, enabled, disabledReason: reason }) => {
    return { id, ref, url, events, enabled: reason === null ? enabled : `${enabled}: ${reason}` };
  },
  fit: 'wrap',
};

const NAMED = ['<subscription>', 'ref or id of the subscription'] as const;
const ORG = ['--org <org>', 'ref or id of its organization'] as const;

export function addSubscriptions(
  program: Command,
  printing: Printing,
  text: (delivery: Delivery) => string,
): void {
  const subscriptions = group(program, 'subscriptions', 'subscriptions to events');
  addList(subscriptions, printing, LIST);
  for (const { name, description, run } of SUBSCRIPTION_COMMANDS) {
    subscriptions
      .command(name)
      .description(description)
      .argument(...NAMED)
      .option(...ORG)
      .action((subscription: string, { org }: { org?: string }) =>
        printing.show<Row>((service) => run(service, nameOf(subscription, org))),
      );
  }
  subscriptions
    .command('test')
    .description('sends one test event and shows what came of it; exits with 1 unless it succeeds')
    .argument(...NAMED)
    .option(...ORG)
    .action((subscription: string, { org }: { org?: string }) =>
      printing.show((service) => testSubscription(service, nameOf(subscription, org)), {
        text,
        failed: ({ status }) => status !== 'succeeded',
      }),
    );
}

function nameOf(subscription: string, org: string | undefined): SubscriptionName {
  return { subscription, ...(org !== undefined && { org }) };
}
