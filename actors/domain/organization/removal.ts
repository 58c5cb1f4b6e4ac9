/** Removal of an organization: no call, send or start of a flow works any more. */
import { revoke } from './keys.ts';
import type { OrganizationState } from './state.ts';

function retired<E extends { readonly removed?: boolean }>(entry: E): E {
  return { ...entry, removed: true };
}

/** Ids stay reserved. `lastApply` and its created ids are dropped, the numbers are free. */
export function retireOrganization(state: OrganizationState, now: number): OrganizationState {
  const { lastApply: _forgotten, numbers: _free, ...rest } = state;
  return {
    ...rest,
    members: state.members.map(retired),
    channels: state.channels.map((channel) => ({ ...retired(channel), enabled: false })),
    keys: state.keys.map((key) => retired(revoke(key, now))),
    flows: state.flows.map((flow) => ({ ...retired(flow), enabled: false, updatedAt: now })),
    files: state.files.map(retired),
    subscriptions: state.subscriptions.map((entry) => ({ ...retired(entry), enabled: false })),
    removed: true,
    version: state.version + 1,
  };
}
