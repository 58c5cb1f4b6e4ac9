/**
 * Download queue of inbound media: fetches files that a network keeps for a limited time only.
 * Downloads run outside of actors and are recorded on their messages.
 *
 * 1. The entry that records the message also records that its media is due. After a crash the next
 *    owner of the channel's partition finds it again.
 * 2. A failed download is retried after growing waits, until it succeeds or the network has dropped
 *    the file.
 * 3. A session that works as another number does not have our files: they wait until it is ours
 *    again, and have their whole time from then on.
 * 4. The file's id is that of the message: a file fetched twice is on record once.
 */
import { reportedMediaId } from '../../../shared/entity-ids.ts';
import { mediaOf, plainMime } from '../../../shared/media.ts';
import type { StoredMedia } from '../../../shared/message.ts';
import type { MediaDownload } from '../../../shared/ports/network.ts';
import type { Provider } from '../../../shared/vocabulary.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument, MediaArrived, MediaDue } from '../../model/conversation.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { DuePoller } from '../../runtime/due-poller.ts';
import { type DueKind, DueWork, type Pages } from '../../runtime/due-work.ts';
import { delayMs } from '../../runtime/repeat.ts';
import { onShelves } from '../../runtime/shelves.ts';
import type { ChannelConfiguration, ChannelEnvironment } from '../readiness/configuration.ts';
import type { WorkingNumber } from '../readiness/readiness-state.ts';

const DOWNLOADS_MAX = 8;
/** A network that does not answer delays only its own channel's downloads. */
const DOWNLOADS_PER_CHANNEL_MAX = 2;
const PAGE = 50;
const RETRY = { firstMs: 1_000, growth: 2, maxMs: 5 * 60 * 1000 };
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
  readonly owned: DueKind<'entries', DueEntry>['owned'];
  configurationOf(channelId: string): Promise<ChannelConfiguration | null>;
  numberOf(channelId: string): WorkingNumber;
}

type DownloadEnvironment = Pick<
  ChannelEnvironment,
  'bus' | 'clock' | 'ids' | 'leaseHeld' | 'log' | 'media' | 'networks' | 'store'
>;

type Result = { readonly media: StoredMedia } | { readonly final: boolean; readonly cause: string };

export class MediaDownloads {
  readonly #environment: DownloadEnvironment;
  readonly #channels: OwnedChannels;
  /** Downloads in flight: channel ids by entry id. */
  readonly #inFlight = new Map<string, string>();
  /** Channels with due files whose session works as another number. */
  readonly #held = new Set<string>();
  readonly #due: DueWork<'entries', DueEntry>;

  constructor(
    environment: DownloadEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    channels: OwnedChannels,
  ) {
    this.#environment = environment;
    this.#channels = channels;
    this.#due = new DueWork<'entries', DueEntry>(environment, duePoller, {
      collection: 'entries',
      owned: channels.owned,
      due: (numbers) => ({
        ...onShelves(numbers, 'mediaDue.'),
        'mediaDue.at': { $lte: environment.clock.now() },
        mediaDue: { $exists: true },
      }),
      key: {
        ...{
          path: 'channelId',
          saturated: () => [...this.#busyChannels(), ...this.#heldChannels()],
        },
        others: {
          of: ({ channelId }) => channelId,
          partitionOf: (channelId) => partitionOf('channel', channelId),
        },
      },
      hasCapacity: () => this.#inFlight.size < DOWNLOADS_MAX,
      pages: (filter) => duePage(environment.store, filter()),
      partitionOf: ({ channelId }) => partitionOf('channel', channelId),
      work: (entry) => this.#begin(entry),
      failedMessage: 'poll of due media failed',
    });
  }

  /** Starts due downloads; called whenever one may be due. */
  poll(): void {
    this.#due.poll();
  }

  #begin(entry: DueEntry): void {
    if (this.#inFlight.size >= DOWNLOADS_MAX || this.#inFlight.has(entry._id)) return;
    // This channel may have filled the page: the next query leaves it out.
    if (this.#busyChannels().includes(entry.channelId)) return this.poll();
    this.#inFlight.set(entry._id, entry.channelId);
    void this.#fetch(entry).finally(() => {
      this.#inFlight.delete(entry._id);
      this.poll();
    });
  }

  #busyChannels(): readonly string[] {
    const byChannel = Map.groupBy(this.#inFlight.values(), (channelId) => channelId);
    const isBusy = (channelId: string) =>
      (byChannel.get(channelId)?.length ?? 0) >= DOWNLOADS_PER_CHANNEL_MAX;
    return [...byChannel.keys()].filter(isBusy);
  }

  #heldChannels(): Iterable<string> {
    for (const id of this.#held) if (!this.#channels.numberOf(id).isOther) this.#held.delete(id);
    return this.#held;
  }

  /** A file that is held stays due: the next queries leave its channel out. */
  #isHeld({ channelId }: DueEntry): boolean {
    const { isOther } = this.#channels.numberOf(channelId);
    if (isOther) this.#held.add(channelId);
    return isOther;
  }

  /** Never rejects. */
  async #fetch(entry: DueEntry): Promise<void> {
    const { log } = this.#environment;
    try {
      const configuration = await this.#channels.configurationOf(entry.channelId);
      if (this.#isHeld(entry)) return;
      const result = await this.#downloadAndKeep(entry, configuration);
      if ('media' in result) return await this.#record(entry, result.media);
      if (this.#isHeld(entry)) return;
      log.info({ messageId: entry._id, cause: result.cause }, 'media download failed');
      const provider = configuration?.network.provider ?? 'cloud';
      const { ownSince } = this.#channels.numberOf(entry.channelId);
      const since = Math.max(entry.after.at, ownSince);
      const age = this.#environment.clock.now() - since;
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
    if (!configuration) return { final: false, cause: 'no such channel' };
    const { network } = configuration;
    const driver = this.#environment.networks.driver(network.provider);
    const fetched = await driver.download(network, entry.mediaDue.media);
    if (!fetched.downloaded) return fetched;
    try {
      return { media: await this.#keep(entry, fetched) };
    } catch (fault) {
      return { final: false, cause: describe(fault) };
    } finally {
      fetched.discard();
    }
  }

  async #keep(
    { _id, orgId, channelId, mediaDue: { media } }: DueEntry,
    { body, mimeType }: Extract<MediaDownload, { downloaded: true }>,
  ): Promise<StoredMedia> {
    const { media: files } = this.#environment;
    const place = { orgId, channelId, entryId: _id };
    const { mimeType: shown, fileName = null } = media;
    const file = { body, mimeType: plainMime(shown || mimeType), fileName };
    return mediaOf(await files.keep(reportedMediaId(_id), place, file));
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
  async #postpone({ _id, conversationId, mediaDue: { attempt } }: DueEntry): Promise<void> {
    const { store, clock } = this.#environment;
    const waitMs = delayMs(RETRY, attempt);
    const filter = { _id, conversationId, 'mediaDue.attempt': attempt };
    const $set = { 'mediaDue.at': clock.now() + waitMs };
    const change = { $set, $inc: { 'mediaDue.attempt': 1 } };
    await store.commit([{ update: 'entries', filter, change }]);
    clock.after(waitMs, () => this.poll());
  }
}

function hasMedia(entry: EntryDocument): entry is DueEntry {
  return entry.mediaDue !== undefined;
}

async function* duePage(store: Pick<Store, 'find'>, filter: Filter<'entries'>): Pages<DueEntry> {
  const found = await store.find('entries', filter, { sort: { 'mediaDue.at': 1 }, limit: PAGE });
  yield found.flatMap((entry) => (hasMedia(entry) ? [entry] : []));
}
