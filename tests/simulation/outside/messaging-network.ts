/**
 * The messaging networks of a world: they take messages, lose answers, tell receipts twice and in
 * disorder, and bring in what contacts write. What they took, and when, is the truth that checkers
 * compare with.
 */
import type {
  DoubtfulSend,
  NetworkChannel,
  NetworkDriver,
  NetworkEvent,
  Networks,
  OutboundMedia,
  OutboundText,
  SendOutcome,
  SentLookup,
} from '../../../shared/network.ts';
import type { Provider } from '../../../shared/vocabulary.ts';
import { EPOCH_MS, type Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Story } from '../world/story.ts';
import type { Weather } from '../world/weather.ts';
import { BridgeMoods } from './bridge-moods.ts';
import type { HandedOver } from './handed-over.ts';
import { NetworkMedia } from './network-media.ts';
import { Outages } from './outages.ts';

const PROVIDERS = ['cloud', 'web'] as const;
const TELL_AGAIN_MS = 1_500;
const NO_FILE: SendOutcome = {
  outcome: 'refused',
  code: '131053',
  reason: 'O arquivo não existe mais.',
  aboutMedia: true,
};

/** Half of the bridges are of a version that takes ids. */
function takesIds(channelId: string): boolean {
  return channelId.charCodeAt(channelId.length - 1) % 2 === 0;
}

export interface Probe {
  readonly channelId: string;
  readonly at: number;
}

export interface NetworkParts {
  readonly scheduler: Scheduler;
  readonly weather: Weather;
  readonly story: Story;
  /** Brings a webhook to some gateway; true when it was answered 200. */
  readonly deliver: (channel: NetworkAddress, events: readonly NetworkEvent[]) => Promise<boolean>;
}

export interface NetworkAddress {
  readonly id: string;
  readonly provider: Provider;
}

interface Sent extends OutboundText {
  readonly content?: string | null;
}

interface Handing {
  readonly machine: Machine;
  readonly channel: NetworkChannel;
  readonly handed: HandedOver;
  readonly ms: number;
  readonly resolve: (outcome: SendOutcome) => void;
}

export class MessagingNetwork {
  readonly handed: HandedOver[] = [];
  /** When each channel was asked whether it can send. */
  readonly probes: Probe[] = [];
  readonly media: NetworkMedia;
  readonly moods: BridgeMoods;
  readonly #parts: NetworkParts;
  readonly outages: Outages;
  #externalIds = 0;
  /** Webhooks that have not been taken yet. */
  telling = 0;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
    this.outages = new Outages(parts.scheduler);
    this.moods = new BridgeMoods(parts.scheduler, parts.weather);
    this.media = new NetworkMedia(parts.weather);
  }

  /** The drivers as one process holds them. */
  networksFor(machine: Machine): Networks {
    const drivers = new Map(PROVIDERS.map((name) => [name, this.#driver(machine, name)] as const));
    return {
      driver(provider) {
        const driver = drivers.get(provider);
        if (!driver) throw new TypeError(`no driver for ${provider}`);
        return driver;
      },
    };
  }

  /** Tells the service until it has taken it. */
  async tell(channel: NetworkAddress, events: readonly NetworkEvent[]): Promise<void> {
    const { scheduler, weather } = this.#parts;
    this.telling += 1;
    this.moods.hear(channel.id, events);
    while (!(await this.#parts.deliver(channel, events))) {
      await scheduler.pause(TELL_AGAIN_MS + weather.chance.around(300));
    }
    this.telling -= 1;
    for (const event of events) {
      if (event.type !== 'receipt' || event.messageId === undefined) continue;
      for (const handed of this.handed) {
        if (handed.messageId === event.messageId) handed.toldAt ??= scheduler.now;
      }
    }
  }

  heal(): void {
    this.outages.heal();
    this.moods.heal();
  }

  #driver(machine: Machine, provider: Provider): NetworkDriver {
    const { scheduler, weather } = this.#parts;
    const reached = <T>(result: T): Promise<T> => {
      const { promise, resolve } = Promise.withResolvers<T>();
      scheduler.after(1 + weather.chance.around(20), () => machine.reach(() => resolve(result)));
      return promise;
    };
    const driver: NetworkDriver = {
      sendText: (channel, message) => this.#send(machine, channel, message),
      sendMedia: (channel, message) => this.#sendMedia(machine, channel, message),
      download: (_channel, media) => this.media.download(machine, media),
      status: (channel) => {
        if (!machine.dead) this.probes.push({ channelId: channel.id, at: scheduler.now });
        return reached(this.outages.status(channel.id));
      },
      parseWebhook: (_channel, { rawBody }) => ({
        verified: true,
        events: JSON.parse(Buffer.from(rawBody).toString('utf8')) as NetworkEvent[],
      }),
      challenge: () => null,
    };
    if (provider === 'cloud') {
      return { ...driver, upload: (_channel, file) => this.media.upload(machine, file) };
    }
    return {
      ...driver,
      ownIdOf: ({ id }, messageId) => (takesIds(id) ? `3EB0.${messageId}` : null),
      findSent: (_channel, message) => reached(this.#lookUp(message)),
    };
  }

  /** By its id, which tells for sure, or else by what was said. */
  #lookUp(message: DoubtfulSend): SentLookup {
    const { ownId, to, text, recorded } = message;
    if (this.#parts.weather.strikes('look-up-fails', 0.3)) {
      return { found: 'unknown', cause: 'timeout' };
    }
    const found = this.handed.find(({ accepted, ...handed }) => {
      if (accepted === null) return false;
      if (ownId !== undefined) return handed.ownId === ownId;
      return handed.to === to && handed.text === text && !recorded.has(accepted.externalId);
    });
    if (found?.accepted) return { found: true, externalId: found.accepted.externalId };
    return ownId === undefined ? { found: 'never', cause: 'no such text' } : { found: false };
  }

  async #sendMedia(machine: Machine, channel: NetworkChannel, message: OutboundMedia) {
    const content = machine.dead ? null : await this.media.contentOf(message);
    const { content: _, caption, ...sent } = message;
    return this.#send(machine, channel, { ...sent, text: caption ?? '', content });
  }

  #send(machine: Machine, channel: NetworkChannel, message: Sent): Promise<SendOutcome> {
    const { scheduler, weather, story } = this.#parts;
    const { chance } = weather;
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    if (machine.dead) return promise;
    const answer = (ms: number, outcome: SendOutcome): void => {
      scheduler.after(ms, () => machine.reach(() => resolve(outcome)));
    };
    const handed: HandedOver = {
      messageId: message.messageId,
      channelId: channel.id,
      provider: channel.provider,
      to: message.to,
      text: message.text,
      ...(message.content === undefined ? {} : { content: message.content }),
      ...(message.ownId === undefined ? {} : { ownId: message.ownId }),
      at: scheduler.now,
      by: machine.name,
      accepted: null,
      refused: false,
      toldAt: null,
    };
    this.handed.push(handed);
    story.tell('network', `is handed ${message.text} by ${machine.name}`);
    const ms = 5 + chance.around(40);
    const outage = this.outages.ofSend(channel.id);
    if (outage !== null) {
      answer(ms, outage);
      return promise;
    }
    if (weather.strikes('network-later', 0.1)) {
      const scope = chance.pick(['number', 'pair', 'account'] as const);
      answer(ms, { outcome: 'later', waitMs: 300 + chance.around(500), scope });
      return promise;
    }
    const restricted = handed.provider === 'web' ? this.moods.refusal(handed) : null;
    const refused = restricted ?? (message.content === null ? NO_FILE : null);
    if (refused !== null) {
      answer(ms, refused);
      return promise;
    }
    if (weather.strikes('network-refuses', 0.08)) {
      handed.refused = true;
      answer(ms, { outcome: 'refused', code: '131026', reason: 'O número não existe.' });
      return promise;
    }
    this.#mayBeLost({ machine, channel, handed, ms, resolve });
    return promise;
  }

  /** Taken or not; a lost answer says neither. */
  #mayBeLost({ machine, channel, handed, ms, resolve }: Handing): void {
    const { scheduler, weather } = this.#parts;
    const { chance } = weather;
    const hangs = weather.strikes('network-hangs', 0.04);
    const lost = hangs || weather.strikes('network-answer-lost', 0.08);
    const unknown = (after: number): void => {
      scheduler.after(after, () =>
        machine.reach(() => resolve({ outcome: 'unknown', cause: 'reset' })),
      );
    };
    if (lost && chance.happens(0.4)) return unknown(hangs ? 10_000 : ms);
    scheduler.after(ms, () => this.#accept(channel, handed));
    if (lost) return unknown(hangs ? 10_000 : ms + 5);
    scheduler.after(ms + chance.around(10), () =>
      machine.reach(() =>
        resolve({ outcome: 'accepted', externalId: handed.accepted?.externalId ?? '' }),
      ),
    );
  }

  #accept(channel: NetworkChannel, handed: HandedOver): void {
    const { scheduler, weather, story } = this.#parts;
    const externalId = handed.ownId ?? `wamid.${++this.#externalIds}`;
    handed.accepted = { at: scheduler.now, externalId };
    story.tell('network', `takes ${handed.text} as ${externalId}`);
    if (handed.provider === 'web' && handed.content === undefined) {
      this.moods.forget(handed, externalId, (events) => void this.tell(channel, events));
    }
    const disordered = weather.strikes('receipts-disordered', 0.5);
    let at = 0;
    for (const status of ['sent', 'delivered', 'read'] as const) {
      at = (disordered ? 0 : at) + 10 + weather.chance.around(150);
      const times = disordered && weather.chance.happens(0.3) ? 2 : 1;
      for (let time = 0; time < times; time++) {
        scheduler.after(at + time * 40, () => {
          void this.tell(channel, [
            {
              type: 'receipt',
              externalId,
              ...(handed.provider === 'cloud' ? { messageId: handed.messageId } : {}),
              status,
              phone: handed.to,
              at: Math.floor(EPOCH_MS + scheduler.now),
            },
          ]);
        });
      }
    }
  }
}
