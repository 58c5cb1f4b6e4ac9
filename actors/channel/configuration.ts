/** Configuration of a channel by its organization, with its secrets opened. */

import type { Bus } from '../../shared/ports/bus.ts';
import type { NetworkChannel } from '../../shared/ports/network.ts';
import type { Store } from '../../shared/ports/store.ts';
import type { Vault } from '../../shared/ports/vault.ts';
import { channelSecret } from '../../shared/secret-locations.ts';
import type { ChannelEntry } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import type { OrganizationDocument } from '../organization/documents.ts';

/** The part of the environment that a channel sender uses. */
export interface ChannelEnvironment
  extends Pick<
    Environment,
    'store' | 'clock' | 'ids' | 'log' | 'networks' | 'media' | 'vault' | 'leaseHeld'
  > {
  readonly bus: Pick<Bus, 'ask'>;
}

export interface ChannelConfiguration {
  readonly orgId: string;
  /** Default country of the organization's phones. */
  readonly country: string;
  readonly entry: ChannelEntry;
  readonly network: NetworkChannel;
}

/** Cache of the channel's configuration; null where the channel does not exist. */
export class CachedConfiguration {
  readonly #environment: Parameters<typeof loadConfiguration>[0];
  readonly #channelId: string;
  readonly #onRead: (read: ChannelConfiguration | null) => void;
  #loading: Promise<ChannelConfiguration | null> | null = null;
  cached: ChannelConfiguration | null = null;

  constructor(
    environment: Parameters<typeof loadConfiguration>[0],
    channelId: string,
    onRead: (read: ChannelConfiguration | null) => void,
  ) {
    this.#environment = environment;
    this.#channelId = channelId;
    this.#onRead = onRead;
  }

  get loading(): boolean {
    return this.#loading !== null;
  }

  async current(): Promise<ChannelConfiguration | null> {
    return this.cached ?? this.#loading ?? this.reload();
  }

  /**
   * Reads the present configuration. The result of an earlier read is discarded, whenever it ends.
   */
  reload(): Promise<ChannelConfiguration | null> {
    const isLast = () => this.#loading === loading;
    const loading: Promise<ChannelConfiguration | null> = loadConfiguration(
      this.#environment,
      this.#channelId,
    )
      .then((read) => {
        if (isLast()) {
          this.cached = read;
          this.#onRead(read);
        }
        return read;
      })
      .finally(() => {
        if (isLast()) this.#loading = null;
      });
    this.#loading = loading;
    return loading;
  }
}

export async function loadConfiguration(
  environment: { readonly store: Store; readonly vault: Vault },
  channelId: string,
): Promise<ChannelConfiguration | null> {
  const organization = await environment.store.findOne<OrganizationDocument>(
    'organizations',
    { 'channels.id': channelId },
    { project: { country: 1, channels: 1, removed: 1 } },
  );
  const entry = organization?.channels.find((each) => each.id === channelId);
  if (!organization || !entry || entry.removed === true || organization.removed === true) {
    return null;
  }
  const { _id: orgId, country } = organization;
  return { orgId, country, entry, network: openNetwork(environment.vault, orgId, entry) };
}

/** The settings and opened secrets with which a driver calls the network. */
export function openNetwork(vault: Vault, orgId: string, entry: ChannelEntry): NetworkChannel {
  const secrets = Object.entries(entry.secrets).map(([name, sealed]) => [
    name,
    vault.open(sealed, channelSecret(orgId, entry.id, name)),
  ]);
  return {
    id: entry.id,
    provider: entry.provider,
    phone: entry.phone,
    network: { ...entry.network, ...Object.fromEntries(secrets) },
  };
}
