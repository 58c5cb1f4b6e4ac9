/** The target of a trigger: one channel of the simulator, and a contact who writes there. */
import * as v from 'valibot';
import { networkNumberOf, SANDBOX } from '../../../../shared/provisioning/network-number.ts';
import { PROVIDERS } from '../../../../shared/vocabulary.ts';
import { readEntries } from '../organization/entries.ts';
import { readAnswer } from '../service/answer.ts';
import { badInput } from '../service/failure.ts';
import { locateOrganization, named } from '../service/organizations.ts';
import { phoneMeant } from '../service/phone.ts';
import type { Service } from '../service/service.ts';

/** A number that no person has: 555-01XX is kept for fiction. */
const FICTIONAL_PHONE = '+1 202-555-0100';

const channelSchema = v.object({
  ...{ id: v.string(), ref: v.string(), provider: v.picklist(PROVIDERS), enabled: v.boolean() },
  network: v.record(v.string(), v.string()),
});
type Channel = v.InferOutput<typeof channelSchema>;

const organizationsSchema = v.array(
  v.object({ id: v.string(), ref: v.string(), country: v.string() }),
);
type Organization = v.InferOutput<typeof organizationsSchema>[number];

export interface TargetOptions {
  readonly org?: string;
  readonly channel?: string;
  /** The contact's phone, in any formatting. */
  readonly from?: string;
}

export interface Target {
  readonly orgId: string;
  readonly channelId: string;
  /** Of the contact, canonical digits. */
  readonly phone: string;
  /** The simulator's name of the channel's number: `{phoneNumberId}` or `{session}`. */
  readonly number: Readonly<Record<string, string>>;
}

/** @throws {BadInput} where there is none of that name, or it is no enabled one of the simulator */
export async function findTarget(service: Service, options: TargetOptions): Promise<Target> {
  const { channel: name, from = FICTIONAL_PHONE } = options;
  if (name === undefined) throw badInput('--channel', 'is required');
  const { id: orgId } = await locateOrganization(service, options.org);
  const channel = named(await channelsOf(service, orgId), name);
  if (channel === undefined) throw badInput('--channel', `there is no channel "${name}"`);
  if (!isSimulated(channel)) {
    const others = 'and an event is triggered on channels of the simulator only (baseUrl: sandbox)';
    throw badInput('--channel', `"${name}" is a number of a real network, ${others}`);
  }
  if (!channel.enabled) throw badInput('--channel', `"${name}" is disabled`);
  const phone = await canonical(service, orgId, from);
  return { orgId, channelId: channel.id, phone, number: numberOf(channel) };
}

async function channelsOf(service: Service, orgId: string): Promise<readonly Channel[]> {
  return v.parse(v.array(channelSchema), (await readEntries(service, orgId, 'channels')).data);
}

async function organizations(service: Service): Promise<readonly Organization[]> {
  return readAnswer(organizationsSchema, await service.query('organizations', {}));
}

/** An address that is not shown, as one with a password, is no simulator's. */
function isSimulated({ network }: Channel): boolean {
  return network.baseUrl === SANDBOX;
}

function numberOf({ provider, network }: Channel): Target['number'] {
  const known = networkNumberOf(provider, network);
  return known === null ? {} : { [known.setting]: known.number };
}

async function canonical(service: Service, orgId: string, from: string): Promise<string> {
  const organization = (await organizations(service)).find(({ id }) => id === orgId);
  const country = organization?.country ?? '';
  return phoneMeant(service, { id: orgId, country }, { option: '--from', text: from });
}

/** Refs that an example names. */
export interface Example {
  readonly org: string;
  readonly channel: string;
}

/** Organizations in which an example looks for a channel. */
const SEARCHED_MAX = 100;

/**
 * A channel on which the examples run as they stand: that of the options, or the first one of the
 * simulator. Null where there is none.
 * @throws {BadInput} as `findTarget`, of a channel that is named
 */
export async function findExample(
  service: Service,
  options: TargetOptions,
): Promise<Example | null> {
  const { org, channel } = options;
  if (channel !== undefined) {
    await findTarget(service, options);
    return { org: (await locateOrganization(service, org)).ref, channel };
  }
  const searched =
    org === undefined ? await organizations(service) : [await locateOrganization(service, org)];
  for (const { id, ref } of searched.slice(0, SEARCHED_MAX)) {
    const channels = await channelsOf(service, id);
    const found = channels.find((each) => each.enabled && isSimulated(each));
    if (found !== undefined) return { org: ref, channel: found.ref };
  }
  return null;
}
