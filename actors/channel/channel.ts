/**
 * One channel at its owner: it joins what is sent, what is received and the network's readiness.
 * Each of them knows the others by the functions that it calls.
 */

import type { Urgency } from '../../shared/vocabulary.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import { KeyedMutex } from '../runtime/concurrency.ts';
import type { Worker } from '../runtime/owned-partitions.ts';
import type { ChannelCaches } from './channel-caches.ts';
import {
  CachedConfiguration,
  type ChannelConfiguration,
  type ChannelEnvironment,
} from './readiness/configuration.ts';
import { ReadinessProbe } from './readiness/readiness-probe.ts';
import type { NetworkReports } from './readiness/reports.ts';
import type { ChannelTemplates, SyncedChannel } from './readiness/template-sync.ts';
import { InboundCalls } from './receiving/inbound-calls.ts';
import type { ReadBack, ReadChannel } from './receiving/read-back.ts';
import type { ReceivingChannel } from './receiving/receiving-channel.ts';
import { createContactCache } from './receiving/resolve-contact.ts';
import { UnmatchedChanges } from './receiving/unmatched-changes.ts';
import { submitEvents } from './receiving/webhook.ts';
import { ChannelSender } from './sending/channel-sender.ts';
import { SentIndex } from './sending/sent-index.ts';
import { UnmatchedReceipts } from './sending/unmatched-receipts.ts';

export interface ChannelOptions {
  readonly id: string;
  readonly epoch: number;
  readonly caches?: ChannelCaches | undefined;
  /** Messages of one read of a backlog. */
  readonly page?: number | undefined;
}

/** The parts of its process that a channel calls. */
export interface ChannelLinks {
  readonly reports: NetworkReports;
  /** Called when memory has room again for messages that the store holds. */
  readonly onNeedsRefill: () => void;
  /** Called when the media of a message may be due. */
  readonly onMediaDue: () => void;
  readonly templatesOf: (channel: SyncedChannel) => ChannelTemplates;
  readonly readBackOf: (
    channel: ReadChannel,
  ) => Pick<ReadBack, 'onReadiness' | 'onEventsCommitted'>;
}

export class Channel implements Worker {
  readonly channelId: string;
  readonly environment: ChannelEnvironment;
  readonly inboundCalls: InboundCalls;
  readonly readiness: ReadinessProbe;
  readonly sender: ChannelSender;
  readonly receiving: ReceivingChannel;
  readonly #configuration: CachedConfiguration;
  #closed = false;

  constructor(
    { id: channelId, epoch, caches, page }: ChannelOptions,
    environment: ChannelEnvironment,
    links: ChannelLinks,
  ) {
    this.channelId = channelId;
    this.environment = environment;
    this.inboundCalls = caches?.inboundCalls ?? new InboundCalls(environment.clock);
    this.#configuration = new CachedConfiguration(environment, channelId, (read) => {
      this.sender.restrictions.adopt(read?.entry ?? null);
      this.readiness.adopt(read?.entry ?? null);
    });
    const sent = new SentIndex(channelId, caches?.sent);
    const unmatched = new UnmatchedReceipts(channelId, environment);
    const configured = () => this.#configuration.cached;
    const configuration = () => this.configuration();
    const isClosed = () => this.#closed;
    const templates = links.templatesOf({ configured, configuration, isClosed });
    const readBack = links.readBackOf({
      ...{ channelId, environment, configuration, isClosed },
      // The chats of another number are not the channel's.
      submit: async (known, batch) =>
        !this.readiness.number.isOther && (await submitEvents(this.receiving, known, batch)),
    });
    this.readiness = new ReadinessProbe(
      { channelId, environment, configured, reload: () => this.#configuration.reload() },
      {
        report: links.reports.readiness,
        onReadiness: (readiness) => readBack.onReadiness(readiness),
        onReady: () => {
          this.sender.retryNow();
          templates.onDue('fresh');
        },
        onHold: (ms) => this.sender.queue.breaker.holdUntil(environment.clock.monotonic() + ms),
        onConfigured: () => {
          this.sender.pump();
          templates.onDue('due');
        },
        onRestriction: (readiness) => this.sender.restrictions.confirm(readiness),
      },
    );
    const { readiness } = this;
    this.sender = new ChannelSender({
      ...{ channelId, epoch, environment, sent, unmatched, page, configured, configuration },
      watermarks: caches?.watermarks,
      readiness: {
        maySend: () => readiness.maySend,
        blockChannel: (reason) => {
          readiness.learn({ ready: false, reason });
          void readiness.report();
        },
        recordSend: (...outcome) => readiness.sends.record(...outcome),
        sendEnded: (conversationId) => readiness.sends.sendEnded(conversationId),
      },
      reportRestriction: links.reports.restriction,
      onNeedsRefill: links.onNeedsRefill,
      onTemplatesChanged: () => templates.onChanged(),
    });
    const { sender } = this;
    this.receiving = {
      ...{ channelId, environment, configuration, sent, unmatched, mutex: new KeyedMutex() },
      unmatchedChanges: new UnmatchedChanges(environment),
      contacts: caches?.contacts ?? createContactCache(),
      oldestOf: (conversationId) => sender.queue.conversations.oldestOf(conversationId),
      whenIdle: (conversationId) => sender.whenIdle(conversationId),
      contactWrote: (conversationId) => {
        if (sender.queue.conversations.wakeConversation(conversationId)) sender.pump();
      },
      learnReadiness: (stated) => {
        readiness.learn(stated);
        return readiness.report();
      },
      isOtherNumber: () => readiness.number.isOther,
      learnOtherNumber: (stated) => readiness.learn(stated),
      learnRestriction: (restriction) => sender.restrictions.learn(restriction),
      onMediaDue: links.onMediaDue,
      onEventsCommitted: () => readBack.onEventsCommitted(),
      onTemplatesChanged: () => templates.onChanged(),
    };
  }

  get closed(): boolean {
    return this.#closed;
  }

  get isDisposable(): boolean {
    const { cached, loading } = this.#configuration;
    return !cached && !loading && this.sender.isIdle;
  }

  /** Whether a read of the class's backlog would add nothing that can be sent. */
  isSaturated(urgency: Urgency): boolean {
    const isEnabled = this.#configuration.cached?.entry.enabled === true;
    const now = this.environment.clock.monotonic();
    return this.sender.queue.isSaturated(urgency, this.readiness.maySend && isEnabled, now);
  }

  configuration(): Promise<ChannelConfiguration | null> {
    return this.#configuration.current();
  }

  /** Rereads a changed configuration and probes the network. Null: nothing new is known. */
  reconfigure(): Promise<ReadinessReport | null> {
    this.#configuration.cached = null;
    this.sender.restrictions.forget();
    this.sender.queue.breaker.reset();
    this.sender.retryNow();
    return this.readiness.probeChanged();
  }

  /** Starts no more sends. Resolves when those in flight have a result, or after `ms`. */
  drain(ms: number): Promise<void> {
    return this.sender.drain(ms);
  }

  close(): void {
    this.#closed = true;
    this.sender.close();
    this.readiness.end();
  }
}
