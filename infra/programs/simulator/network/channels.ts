/**
 * The channels that the simulator plays the network for. The service knows them; the simulator
 * pulls them, keeps them for at most a second, and pulls again whenever something is not found.
 *
 * 1. One pull at a time; requests that need it meanwhile share it, so that wrong credentials make
 *    no storm of pulls.
 * 2. A pull that fails or hangs leaves the last known channels in place.
 */
import * as v from 'valibot';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { PROVIDERS } from '../../../../shared/vocabulary.ts';

const SandboxChannelSchema = v.object({
  channelId: v.string(),
  provider: v.picklist(PROVIDERS),
  /** Digits; the session of a bridge is connected to it. */
  phone: v.optional(v.string()),
  /** The service's address for this channel's network webhooks. */
  webhookUrl: v.string(),
  /** As the driver sees it: ids and opened secrets. */
  network: v.record(v.string(), v.string()),
});

export type SimulatedChannel = v.InferOutput<typeof SandboxChannelSchema>;
export type PullChannels = () => Promise<readonly SimulatedChannel[]>;

const CACHED_MS = 1_000;
const PULL_WAIT_MS = 500;

/** Reads the service's answer: `{"channels":[…]}`. Throws ValiError on any other shape. */
export function parseChannels(json: string): readonly SimulatedChannel[] {
  const shape = v.object({ channels: v.array(SandboxChannelSchema) });
  return v.parse(shape, JSON.parse(json)).channels;
}

/** One pulled set with its indexes. A number may be connected to several channels. */
export class ChannelSet {
  readonly #byId = new Map<string, SimulatedChannel>();
  readonly #byNumber = new Map<string, SimulatedChannel[]>();
  readonly #bySession = new Map<string, SimulatedChannel[]>();
  readonly #byAccount = new Map<string, SimulatedChannel[]>();
  readonly #tokens = new Set<string>();
  readonly #apiKeys = new Set<string>();

  constructor(channels: readonly SimulatedChannel[]) {
    for (const channel of channels) {
      const { accessToken, apiKey, phoneNumberId, session } = channel.network;
      this.#byId.set(channel.channelId, channel);
      if (channel.provider === 'cloud') {
        if (accessToken) this.#tokens.add(accessToken);
        if (phoneNumberId) append(this.#byNumber, phoneNumberId, channel);
        append(this.#byAccount, accountOf(channel), channel);
      } else {
        if (apiKey) this.#apiKeys.add(apiKey);
        if (session) append(this.#bySession, session, channel);
      }
    }
  }

  byId(channelId: string): SimulatedChannel | undefined {
    return this.#byId.get(channelId);
  }

  byNumber(phoneNumberId: string): readonly SimulatedChannel[] {
    return this.#byNumber.get(phoneNumberId) ?? [];
  }

  /** The channels of a business account. */
  byAccount(accountId: string): readonly SimulatedChannel[] {
    return this.#byAccount.get(accountId) ?? [];
  }

  bySession(session: string): readonly SimulatedChannel[] {
    return this.#bySession.get(session) ?? [];
  }

  /** The first channel of the key. */
  withApiKey(apiKey: string): SimulatedChannel | undefined {
    for (const channels of this.#bySession.values()) {
      const found = channels.find((channel) => channel.network.apiKey === apiKey);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The first channel with that secret. */
  withAppSecret(appSecret: string): SimulatedChannel | undefined {
    for (const channel of this.#byId.values()) {
      if (appSecret !== '' && channel.network.appSecret === appSecret) return channel;
    }
    return undefined;
  }

  knowsToken(accessToken: string): boolean {
    return this.#tokens.has(accessToken);
  }

  knowsApiKey(apiKey: string): boolean {
    return this.#apiKeys.has(apiKey);
  }
}

/** The id of the business account that owns a channel's number. */
export function accountOf({ network }: SimulatedChannel): string {
  return network.businessAccountId || `waba-${network.phoneNumberId ?? ''}`;
}

/** The channels of a session that the key is for; undefined without one. */
export function sessionOf(
  set: ChannelSet,
  session: string,
  apiKey: string,
): readonly SimulatedChannel[] | undefined {
  const found = set.bySession(session).filter((channel) => channel.network.apiKey === apiKey);
  return found.length === 0 ? undefined : found;
}

export class ChannelDirectory {
  #pull: PullChannels;
  #clock: Clock;
  #set = new ChannelSet([]);
  #pulledAt = Number.NEGATIVE_INFINITY;
  #pulling: Promise<void> | null = null;

  constructor(pull: PullChannels, clock: Clock) {
    this.#pull = pull;
    this.#clock = clock;
  }

  /** The last pulled set, however old: for background work. */
  known(): ChannelSet {
    return this.#set;
  }

  /** The result of `find` in a set at most a second old; pulls once more when there is none. */
  async find<T>(find: (set: ChannelSet) => T | undefined): Promise<T | undefined> {
    let pulledForThis = this.#age() > CACHED_MS && (await this.#refresh());
    let found = find(this.#set);
    // A pull in progress may have been answered before the channel existed.
    for (let pull = 0; pull < 2 && found === undefined && !pulledForThis; pull++) {
      pulledForThis = await this.#refresh();
      found = find(this.#set);
    }
    return found;
  }

  #age(): number {
    return this.#clock.monotonic() - this.#pulledAt;
  }

  /** Whether the pull began with this call. */
  async #refresh(): Promise<boolean> {
    const mine = this.#pulling === null;
    this.#pulling ??= this.#pullOnce();
    const { promise: elapsed, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(PULL_WAIT_MS, resolve);
    await Promise.race([this.#pulling, elapsed]);
    cancel();
    return mine;
  }

  async #pullOnce(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    try {
      this.#set = new ChannelSet(await this.#pull());
      this.#pulledAt = startedAt;
    } catch {
      // The service does not answer: the next request asks again.
      this.#pulledAt = Number.NEGATIVE_INFINITY;
    } finally {
      this.#pulling = null;
    }
  }
}

function append<T>(index: Map<string, T[]>, key: string, value: T): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [value]);
  else list.push(value);
}
