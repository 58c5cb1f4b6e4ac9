/** Configuration of a channel by its organization, with its secrets opened. */
import { channelSecret } from '../../../shared/entity-ids.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { NetworkChannel } from '../../../shared/ports/network.ts';
import type { Vault } from '../../../shared/ports/vault.ts';
import type { ChannelEntry } from '../../domain/organization.ts';
import type { Environment } from '../../environment.ts';

/** The part of the environment that a channel uses. */
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
  readonly #load: () => Promise<ChannelConfiguration | null>;
  readonly #onRead: (read: ChannelConfiguration | null) => void;
  #loading: Promise<ChannelConfiguration | null> | null = null;
  cached: ChannelConfiguration | null = null;

  constructor(
    environment: Pick<Environment, 'store' | 'vault'>,
    channelId: string,
    onRead: (read: ChannelConfiguration | null) => void,
  ) {
    this.#load = () => loadConfiguration(environment, channelId);
    this.#onRead = onRead;
  }

  get loading(): boolean {
    return this.#loading !== null;
  }

  async current(): Promise<ChannelConfiguration | null> {
    return this.cached ?? this.#loading ?? this.reload();
  }

  /** Reads the present configuration. An earlier read is discarded, whenever it ends. */
  reload(): Promise<ChannelConfiguration | null> {
    const isLast = () => this.#loading === loading;
    const loading: Promise<ChannelConfiguration | null> = this.#load()
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
  environment: Pick<Environment, 'store' | 'vault'>,
  channelId: string,
): Promise<ChannelConfiguration | null> {
  const filter = { 'channels.id': channelId };
  const project = { country: 1, channels: 1, removed: 1 } as const;
  const organization = await environment.store.findOne('organizations', filter, { project });
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
  const { id, provider, phone } = entry;
  return { id, provider, phone, network: { ...entry.network, ...Object.fromEntries(secrets) } };
}
