/**
 * The messaging networks of a world. They accept messages, lose answers, report receipts twice and
 * in disorder, and deliver contacts' messages. Their record of accepted messages is the truth that
 * checkers compare with.
 */
import type {
  DoubtfulSend,
  NetworkChannel,
  NetworkDriver,
  Networks,
  OutboundMedia,
  SendOutcome,
  SentLookup,
} from '../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import type { Provider } from '../../../../shared/vocabulary.ts';
import type { Transmission } from '../../checkers/history.ts';
import type { ExecutionTrace } from '../world/execution-trace.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import { EPOCH_MS, type Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { BridgeBehaviour } from './bridge-behaviour.ts';
import { CLOSED, ContactWindows, STOPPED } from './contact-windows.ts';
import { NetworkMedia } from './network-media.ts';
import { NetworkTemplates } from './network-templates.ts';
import { Outages } from './outages.ts';
import { type Sent, sentContent, textOfContent } from './sent-content.ts';

const PROVIDERS = ['cloud', 'web'] as const;
const REDELIVER_MS = 1_500;
/** The longest wait of a driver for an answer. */
const HANGS_MS = 15_000;
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
  readonly faults: FaultInjector;
  readonly trace: ExecutionTrace;
  readonly hasClockJumps: boolean;
  /** Brings a webhook to some gateway; true when it was answered 200. */
  readonly deliver: (channel: NetworkAddress, events: readonly NetworkEvent[]) => Promise<boolean>;
}

export interface NetworkAddress {
  readonly id: string;
  readonly provider: Provider;
}

/** A message that was handed over, and its fate. */
interface HandedOver extends Transmission {
  readonly messageId: string;
  readonly channelId: string;
  /** Neither a template nor a message of another network. */
  readonly isFree: boolean;
  restricted: boolean;
  failed: number | null;
  taken: Transmission['taken'];
  toldAt: number | null;
}

interface InFlight {
  readonly machine: Machine;
  readonly channel: NetworkChannel;
  readonly transmission: HandedOver;
  readonly ms: number;
  readonly resolve: (outcome: SendOutcome) => void;
}

export class MessagingNetwork {
  readonly transmissions: HandedOver[] = [];
  /** When each channel was asked whether it can send. */
  readonly probes: Probe[] = [];
  readonly media: NetworkMedia;
  readonly behaviour: BridgeBehaviour;
  readonly #parts: NetworkParts;
  readonly outages: Outages;
  readonly templates = new NetworkTemplates();
  readonly windows: ContactWindows;
  #externalIds = 0;
  /** Webhooks that have not been taken yet. */
  deliveringCount = 0;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
    this.windows = new ContactWindows(parts.scheduler);
    this.outages = new Outages(parts.scheduler);
    this.behaviour = new BridgeBehaviour(parts);
    this.media = new NetworkMedia(parts.faults);
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
  async deliver(channel: NetworkAddress, events: readonly NetworkEvent[]): Promise<void> {
    const { scheduler, faults } = this.#parts;
    this.deliveringCount += 1;
    this.behaviour.observe(channel.id, events);
    this.windows.observe(events);
    while (!(await this.#parts.deliver(channel, events))) {
      await scheduler.pause(REDELIVER_MS + faults.random.around(300));
    }
    this.deliveringCount -= 1;
    for (const event of events) {
      if (event.type !== 'receipt' || event.messageId === undefined) continue;
      for (const transmission of this.transmissions) {
        if (transmission.messageId === event.messageId) transmission.toldAt ??= scheduler.now;
      }
    }
  }

  heal(): void {
    this.outages.heal();
    this.behaviour.heal();
  }

  #driver(machine: Machine, provider: Provider): NetworkDriver {
    const { scheduler, faults } = this.#parts;
    const reached = <T>(result: T): Promise<T> => {
      const { promise, resolve } = Promise.withResolvers<T>();
      scheduler.after(1 + faults.random.around(20), () => machine.reach(() => resolve(result)));
      return promise;
    };
    const driver: NetworkDriver = {
      sendText: (channel, message) => this.#send(machine, channel, message),
      sendMedia: (channel, message) => this.#sendMedia(machine, channel, message),
      sendContent: (channel, message) => this.#send(machine, channel, sentContent(message)),
      download: (_channel, media) => this.media.download(machine, media),
      status: (channel) => {
        if (!machine.dead) this.probes.push({ channelId: channel.id, at: scheduler.now });
        return reached(this.outages.status(channel.id));
      },
      parseWebhook: (_channel, { rawBody }) => ({
        verified: true,
        ownNumber: true,
        events: JSON.parse(Buffer.from(rawBody).toString('utf8')) as NetworkEvent[],
      }),
      challenge: () => null,
    };
    if (provider === 'cloud') {
      return {
        ...driver,
        upload: (_channel, file) => this.media.upload(machine, file),
        listTemplates: () => reached({ listed: true, templates: this.templates.listed() }),
      };
    }
    return {
      ...driver,
      ownIdOf: ({ id }, messageId) => (takesIds(id) ? `3EB0.${messageId}` : null),
      findSent: ({ id }, message) => reached(this.#lookUp(id, message)),
    };
  }

  /** Finds it by its id, which is certain, or else by its text. */
  #lookUp(channelId: string, message: DoubtfulSend): SentLookup {
    const { ownId, to, recorded } = message;
    const text = message.content ? textOfContent(message.content) : message.text;
    if (this.#parts.faults.injects('look-up-fails', 0.5)) {
      return { found: 'unknown', cause: 'timeout' };
    }
    const outage = this.outages.ofLookup(channelId);
    if (outage !== null) return outage;
    const found = this.transmissions.find(({ taken, ...transmission }) => {
      if (taken === null || transmission.channelId !== channelId) return false;
      if (ownId !== undefined) return transmission.ownId === ownId;
      return (
        transmission.to === to && transmission.text === text && !recorded.has(taken.externalId)
      );
    });
    if (found?.taken) return { found: true, externalId: found.taken.externalId };
    return ownId === undefined ? { found: 'never', cause: 'no such text' } : { found: false };
  }

  async #sendMedia(machine: Machine, channel: NetworkChannel, message: OutboundMedia) {
    const content = machine.dead ? null : await this.media.contentOf(message);
    const { content: _, caption, ...sent } = message;
    return this.#send(machine, channel, { ...sent, text: caption ?? '', content });
  }

  #send(machine: Machine, channel: NetworkChannel, message: Sent): Promise<SendOutcome> {
    const { scheduler, faults, trace } = this.#parts;
    const { random } = faults;
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    if (machine.dead) return promise;
    const answer = (ms: number, outcome: SendOutcome): void => {
      scheduler.after(ms, () => machine.reach(() => resolve(outcome)));
    };
    const transmission: HandedOver = {
      messageId: message.messageId,
      channelId: channel.id,
      provider: channel.provider,
      to: message.to,
      text: message.text,
      ...(message.content === undefined ? {} : { content: message.content }),
      ...(message.ownId === undefined ? {} : { ownId: message.ownId }),
      isFree: message.template === undefined,
      at: scheduler.now,
      by: machine.name,
      ...{ taken: null, restricted: false, failed: null, toldAt: null },
    };
    this.transmissions.push(transmission);
    trace.record('network', `is handed ${message.text} by ${machine.name}`);
    const ms = 5 + random.around(40);
    const outage = this.outages.ofSend(channel.id);
    if (outage !== null) {
      answer(ms, outage);
      return promise;
    }
    if (faults.injects('network-later', 0.1)) {
      const scope = random.pick(['number', 'pair', 'account'] as const);
      answer(ms, { outcome: 'later', waitMs: 300 + random.around(500), scope });
      return promise;
    }
    const restricted =
      transmission.provider === 'web'
        ? this.behaviour.refusal(transmission)
        : this.#refusal(message);
    const refused = restricted ?? (message.content === null ? NO_FILE : null);
    if (refused !== null) {
      answer(ms, refused);
      return promise;
    }
    if (faults.injects('network-refuses', 0.08)) {
      answer(ms, { outcome: 'refused', code: '131026', reason: 'O número não existe.' });
      return promise;
    }
    this.#mayBeLost({ machine, channel, transmission, ms, resolve });
    return promise;
  }

  /** By the rules of the official network; a closed window is told by a status half of the time. */
  #refusal({ to, template }: Sent): SendOutcome | null {
    if (template === undefined) {
      const isTold = this.windows.isClosed(to) && this.#parts.faults.random.happens(0.5);
      return isTold ? { outcome: 'refused', ...CLOSED } : null;
    }
    const isUnwanted = this.templates.isMarketing(template) && this.windows.hasStopped(to);
    return isUnwanted ? { outcome: 'refused', ...STOPPED } : this.templates.refusal(template);
  }

  /** Taken or not; a lost answer says neither. */
  #mayBeLost({ machine, channel, transmission, ms, resolve }: InFlight): void {
    const { scheduler, faults } = this.#parts;
    const { random } = faults;
    const hangs = faults.injects('network-hangs', 0.04);
    const lost = hangs || faults.injects('network-answer-lost', 0.08);
    const unknown = (after: number): void => {
      scheduler.after(after, () =>
        machine.reach(() => resolve({ outcome: 'unknown', cause: 'reset' })),
      );
    };
    if (lost && random.happens(0.4)) return unknown(hangs ? HANGS_MS : ms);
    const isClosed =
      transmission.provider === 'cloud' &&
      transmission.isFree &&
      this.windows.isClosed(transmission.to);
    scheduler.after(ms, () => {
      if (isClosed) this.#takeAndFail(channel, transmission);
      else this.#accept(channel, transmission);
    });
    if (lost) return unknown(hangs ? HANGS_MS : ms + 5);
    scheduler.after(ms + random.around(10), () =>
      machine.reach(() =>
        resolve({ outcome: 'accepted', externalId: transmission.taken?.externalId ?? '' }),
      ),
    );
  }

  /** Outside of the window: accepted, and failed by a status a moment later. */
  #takeAndFail(channel: NetworkChannel, transmission: HandedOver): void {
    const { scheduler, faults } = this.#parts;
    const externalId = this.#take(transmission);
    const { messageId, to: phone } = transmission;
    const { code, reason: message } = CLOSED;
    transmission.failed = Number(code);
    scheduler.after(10 + faults.random.around(150), () => {
      const at = Math.floor(EPOCH_MS + scheduler.now);
      const named = { externalId, messageId, phone, at };
      void this.deliver(channel, [
        { type: 'receipt', ...named, status: 'failed', error: { code, message } },
      ]);
    });
  }

  #take(transmission: HandedOver): string {
    const { scheduler, trace } = this.#parts;
    const externalId = transmission.ownId ?? `wamid.${++this.#externalIds}`;
    transmission.taken = { at: scheduler.now, externalId };
    trace.record('network', `takes ${transmission.text} as ${externalId}`);
    return externalId;
  }

  #accept(channel: NetworkChannel, transmission: HandedOver): void {
    const { scheduler, faults } = this.#parts;
    const externalId = this.#take(transmission);
    if (transmission.provider === 'web' && transmission.content === undefined) {
      this.behaviour.forget(
        transmission,
        externalId,
        (events) => void this.deliver(channel, events),
      );
    }
    const disordered = faults.injects('receipts-disordered', 0.5);
    let at = 0;
    for (const status of ['sent', 'delivered', 'read'] as const) {
      at = (disordered ? 0 : at) + 10 + faults.random.around(150);
      const times = disordered && faults.random.happens(0.3) ? 2 : 1;
      for (let time = 0; time < times; time++) {
        scheduler.after(at + time * 40, () => {
          void this.deliver(channel, [
            {
              type: 'receipt',
              externalId,
              ...(transmission.provider === 'cloud' ? { messageId: transmission.messageId } : {}),
              status,
              phone: transmission.to,
              at: Math.floor(EPOCH_MS + scheduler.now),
            },
          ]);
        });
      }
    }
  }
}
