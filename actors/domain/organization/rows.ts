/** Rows of `recado members|channels|flows list`: present entries, without secrets. */

import type {
  ChannelRow,
  FlowRow,
  ListEntriesCommand,
  MemberRow,
} from '../../../shared/provisioning/commands.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { readinessOf } from '../channel-readiness.ts';
import { renderRestriction } from '../channel-restriction.ts';
import type { OrganizationContext } from './context.ts';
import { webhooksOf } from './output.ts';
import type { ChannelEntry, FlowEntry, OrganizationState } from './state.ts';

type Context = Pick<OrganizationContext, 'now' | 'publicUrl'>;

export function present<E extends { readonly removed?: boolean }>(entries: readonly E[]): E[] {
  return entries.filter(({ removed }) => removed !== true);
}

/** Plain settings; an address with a user or a password is omitted as a secret. */
export function shownNetwork({ network }: ChannelEntry): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(network).filter(([, value]) => !hasUser(value)));
}

function hasUser(value: string): boolean {
  if (!value.includes('@') || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username !== '' || password !== '';
}

function channelRow(channel: ChannelEntry, { now, publicUrl }: Context): ChannelRow {
  return {
    id: channel.id,
    ref: channel.ref,
    label: channel.label,
    provider: channel.provider,
    phone: channel.phone,
    enabled: channel.enabled,
    ...readinessOf(channel),
    ...renderRestriction(channel.restriction, now),
    network: shownNetwork(channel),
    ...webhooksOf(publicUrl, channel),
    createdAt: timestamp(channel.createdAt),
  };
}

function flowRow({ steps, updatedAt, ...flow }: FlowEntry): FlowRow {
  return {
    id: flow.id,
    ref: flow.ref,
    name: flow.name,
    enabled: flow.enabled,
    channelId: flow.channelId,
    isMain: flow.isMain,
    triggers: flow.triggers,
    stepCount: steps.length,
    updatedAt: timestamp(updatedAt),
  };
}

export function listEntries(
  state: OrganizationState,
  list: ListEntriesCommand['list'],
  context: Context,
): readonly (MemberRow | ChannelRow | FlowRow)[] {
  switch (list) {
    case 'members':
      return present(state.members).map(({ id, ref, name, email }) => ({ id, ref, name, email }));
    case 'channels':
      return present(state.channels).map((channel) => channelRow(channel, context));
    case 'flows':
      return present(state.flows).map(flowRow);
    default:
      return list satisfies never;
  }
}
