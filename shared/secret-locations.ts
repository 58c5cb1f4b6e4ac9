/** Where an organization's secrets are kept: each opens in its own place only. */
import type { SecretLocation } from './ports/vault.ts';

/** A setting of a channel's network, by its name. */
export function channelSecret(orgId: string, channelId: string, name: string): SecretLocation {
  return { orgId, recordId: channelId, field: `network.${name}` };
}

/** The secret that signs a subscription's deliveries. */
export function signingSecret(orgId: string, subscriptionId: string): SecretLocation {
  return { orgId, recordId: subscriptionId, field: 'signing' };
}
