/**
 * Download queue of inbound media: fetches files that a network keeps for a limited time only.
 * Downloads run outside of actors and are recorded on their messages.
 *
 * 1. The entry that records the message also records that its media is due. After a crash the next
 *    owner of the channel's partition finds it again.
 * 2. A failed download is retried after growing waits, until it succeeds or the network has dropped
 *    the file.
 * 3. The file's id derives from the message: a file fetched twice is on record once.
 */
import { mediaOf, plainMime } from '../../shared/media.ts';
import type { StoredMedia } from '../../shared/message.ts';
import type { MediaDownload } from '../../shared/ports/network.ts';
import type { ExistenceQuery } from '../../shared/ports/store.ts';
import type { Provider } from '../../shared/vocabulary.ts';
import type { MediaArrived } from '../conversation/commands.ts';
import type { EntryDocument, MediaDue } from '../conversation/documents.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';

const DOWNLOADS_MAX = 8;
/** A network that does not answer delays only its own channel's downloads. */
const DOWNLOADS_PER_CHANNEL_MAX = 2;
const PAGE = 50;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 5 * 60 * 1000;
const GROWTH = 2;
const ASK_MS = 8_000;
const MINUTE_MS = 60 * 1000;
/** Meta keeps inbound media for 7 days, the bridge for minutes. */
const EXPIRES_AFTER_MS: Readonly<Record<Provider, number>> = {
  cloud: 6.5 * 24 * 60 * MINUTE_MS,
  web: 15 * MINUTE_MS,
};

export interface DueEntry extends EntryDocument {
  readonly mediaDue: MediaDue;
}

/** The channels of the partitions that this process owns. */
export interface OwnedChannels {
  partitions(): readonly number[];
  configurationOf(channelId: string): Promise<ChannelConfiguration | null>;
}

type Result = { readonly media: StoredMedia } | { readonly final: boolean; readonly cause: string };

export class MediaDownloads {
  readonly #environment: ChannelEnvironment;
  readonly #owned: OwnedChannels;
  /** Downloads in flight: channel ids by entry id. */
  readonly #inFlight = new Map<string, string>();
  #polling = false;
  #pollAgain = false;

  constructor(environment: ChannelEnvironment, owned: OwnedChannels) {
    this.#environment = environment;
    this.#owned = owned;
  }

  /** Starts due downloads; called whenever one may be due. */
  poll(): void {
    this.#pollAgain = this.#polling;
    if (this.#polling) return;
    this.#polling = true;
    this.#startDue()
      .catch((fault: unknown) => {
        this.#environment.log.warn({ error: describe(fault) }, 'poll of due media failed');
      })
      .finally(() => {
        this.#polling = false;
        if (this.#pollAgain) this.poll();
      });
  }

  /**
   * The query for downloads that could start now; null: enough are in flight, or this process owns
   * no partition.
   */
  question(): ExistenceQuery | null {
    const partitions = this.#owned.partitions();
    if (partitions.length === 0 || this.#inFlight.size >= DOWNLOADS_MAX) return null;
    const busy = [...new Set(this.#inFlight.values())].filter((id) => this.#isBusy(id));
    const filter = {
      'mediaDue.partition': { $in: partitions },
      'mediaDue.at': { $lte: this.#environment.clock.now() },
      mediaDue: { $exists: true },
      ...(busy.length > 0 ? { channelId: { $nin: busy } } : {}),
    };
    return { collection: 'entries', filter };
  }

  async #startDue(): Promise<void> {
    const { store, leaseHeld } = this.#environment;
    const question = this.question();
    if (!question || !leaseHeld()) return;
    const { collection, filter } = question;
    const order = { sort: { 'mediaDue.at': 1 }, limit: PAGE } as const;
    const due = await store.find<DueEntry>(collection, filter, order);
    for (const entry of due) {
      if (this.#inFlight.size >= DOWNLOADS_MAX) return;
      if (this.#inFlight.has(entry._id)) continue;
      if (this.#isBusy(entry.channelId)) {
        // This channel may have filled the page: the next query leaves it out.
        this.#pollAgain = true;
        continue;
      }
      this.#inFlight.set(entry._id, entry.channelId);
      void this.#fetch(entry).finally(() => {
        this.#inFlight.delete(entry._id);
        this.poll();
      });
    }
  }

  #isBusy(channelId: string): boolean {
    let fetching = 0;
    for (const each of this.#inFlight.values()) if (each === channelId) fetching++;
    return fetching >= DOWNLOADS_PER_CHANNEL_MAX;
  }

  /** Never rejects. */
  async #fetch(entry: DueEntry): Promise<void> {
    const { log } = this.#environment;
    try {
      const configuration = await this.#owned.configurationOf(entry.channelId);
      const result = await this.#downloadAndKeep(entry, configuration);
      if ('media' in result) {
        await this.#record(entry, result.media);
        return;
      }
      log.info({ messageId: entry._id, cause: result.cause }, 'media download failed');
      const provider = configuration?.network.provider ?? 'cloud';
      const age = this.#environment.clock.now() - entry.after.at;
      if (result.final || age > EXPIRES_AFTER_MS[provider]) await this.#record(entry, null);
      else await this.#postpone(entry);
    } catch (fault) {
      log.warn({ messageId: entry._id, error: describe(fault) }, 'media could not be fetched');
      await this.#postpone(entry).catch((again: unknown) => {
        log.warn({ messageId: entry._id, error: describe(again) }, 'media retry not scheduled');
      });
    }
  }

  /** A file that breaks off or cannot be stored counts as a failed download. */
  async #downloadAndKeep(
    entry: DueEntry,
    configuration: ChannelConfiguration | null,
  ): Promise<Result> {
    const fetched = await this.#download(entry, configuration);
    if (!fetched.downloaded) return fetched;
    try {
      return { media: await this.#keep(entry, fetched) };
    } catch (fault) {
      return { final: false, cause: describe(fault) };
    } finally {
      fetched.discard();
    }
  }

  #download(
    { mediaDue }: DueEntry,
    configuration: ChannelConfiguration | null,
  ): Promise<MediaDownload> {
    if (!configuration) {
      return Promise.resolve({ downloaded: false, final: false, cause: 'no such channel' });
    }
    const { network } = configuration;
    return this.#environment.networks.driver(network.provider).download(network, mediaDue.media);
  }

  async #keep(
    { _id, orgId, channelId, mediaDue: { media } }: DueEntry,
    { body, mimeType }: Extract<MediaDownload, { downloaded: true }>,
  ): Promise<StoredMedia> {
    const id = this.#environment.ids.derive('med', _id);
    const kept = await this.#environment.media.keep(
      id,
      { orgId, channelId, entryId: _id },
      {
        body,
        mimeType: plainMime(media.mimeType || mimeType),
        fileName: media.fileName ?? null,
      },
    );
    return mediaOf(kept);
  }

  async #record({ _id, conversationId: key }: DueEntry, media: StoredMedia | null): Promise<void> {
    const { bus, clock, ids } = this.#environment;
    const id = ids.fresh('cmd');
    const command: MediaArrived = { id, type: 'media-arrived', messageId: _id, media };
    const deadline = clock.now() + ASK_MS;
    const answer = await bus.ask({ kind: 'conversation', key }, command, { deadline });
    if (answer.status !== 200) throw new Error(`the media was not recorded: ${answer.status}`);
  }

  /** Compare-and-set of the attempt: of two concurrent failures one counts. */
  async #postpone({ _id, mediaDue: { attempt } }: DueEntry): Promise<void> {
    const { store, clock } = this.#environment;
    const waitMs = Math.min(FIRST_WAIT_MS * GROWTH ** Math.min(attempt, 20), LONGEST_WAIT_MS);
    await store.commit([
      {
        update: 'entries',
        filter: { _id, 'mediaDue.attempt': attempt },
        change: { $set: { 'mediaDue.at': clock.now() + waitMs }, $inc: { 'mediaDue.attempt': 1 } },
      },
    ]);
    clock.after(waitMs, () => this.poll());
  }
}
