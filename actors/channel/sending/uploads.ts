/**
 * Single-flight uploads to networks: messages with one file at one number share an upload. Later
 * messages reuse its id at the network, for 29 days (D127).
 *
 * 1. Per channel and content one look-up or upload is in flight; callers that arrive meanwhile wait
 *    for its outcome.
 * 2. A refused send forgets only the upload that it used: a newer one stays. One renewal serves all
 *    refused messages.
 * 3. A message may be refused while others are accepted under the same upload. The upload then
 *    stays, and the message is retried. After `REFUSALS_MAX` refusals the message itself is the
 *    cause.
 */

import { GenerationalCache } from '../../../shared/generational-cache.ts';
import { UPLOAD_RETENTION_MS } from '../../../shared/limits.ts';
import type { MediaRecord, ReadableFile } from '../../../shared/ports/media.ts';
import type { UploadOutcome } from '../../../shared/ports/network.ts';
import type { WriteOutcome } from '../../../shared/ports/store.ts';
import type { Write } from '../../model/collections.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { purge } from '../../runtime/purge.ts';
import type { ChannelEnvironment } from '../readiness/configuration.ts';

const UPLOADS = 'uploads';
const PROVEN_MAX = 256;
const REFUSED_MESSAGES_MAX = 1_024;
const REFUSALS_MAX = 3;

/** A file's id at the network; `renewable` when an earlier message uploaded it. */
export type Uploaded = Extract<UploadOutcome, { outcome: 'uploaded' }> & {
  readonly renewable: boolean;
};

type UploadResult = Uploaded | Exclude<UploadOutcome, { outcome: 'uploaded' }> | 'gone';

export type Upload = (file: ReadableFile) => Promise<UploadOutcome>;

/** The uploads of one channel. */
export class Uploads {
  readonly #channelId: string;
  readonly #environment: ChannelEnvironment;
  /** Uploads in flight, by name. */
  readonly #inFlight = new Map<string, Promise<UploadResult>>();
  /** When a message was last accepted under an upload's id, monotonic milliseconds. */
  readonly #proven = new GenerationalCache<string, number>(PROVEN_MAX);
  /** How often a message was refused because of its file. */
  readonly #refusals = new GenerationalCache<string, number>(REFUSED_MESSAGES_MAX);

  constructor(channelId: string, environment: ChannelEnvironment) {
    this.#channelId = channelId;
    this.#environment = environment;
  }

  /** Rejects when the store rejects. */
  ensureUploaded(record: MediaRecord, upload: Upload): Promise<UploadResult> {
    const name = this.#nameOf(record);
    const known = this.#inFlight.get(name);
    if (known) return known;
    const flight = this.#find(name, record.id, upload).finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, flight);
    return flight;
  }

  recordAccepted({ uploadId }: Uploaded): void {
    this.#proven.set(uploadId, this.#environment.clock.monotonic());
  }

  /** Whether a message refused for its file may be retried; `since`: its send's monotonic begin. */
  async mayRetry(
    record: MediaRecord,
    refused: { readonly messageId: string; readonly uploaded: Uploaded; readonly since: number },
  ): Promise<boolean> {
    const { messageId, since } = refused;
    const { uploadId, renewable } = refused.uploaded;
    const refusals = (this.#refusals.get(messageId) ?? 0) + 1;
    if (!renewable || refusals > REFUSALS_MAX) {
      this.#refusals.delete(messageId);
      return false;
    }
    this.#refusals.set(messageId, refusals);
    if ((this.#proven.get(uploadId) ?? Number.NEGATIVE_INFINITY) >= since) return true;
    const stale: Write = { remove: UPLOADS, filter: { _id: this.#nameOf(record), uploadId } };
    return (await this.#commit(stale, 'stale upload id not removed'))?.ok === true;
  }

  async #find(name: string, mediaId: string, upload: Upload): Promise<UploadResult> {
    const { store, clock, media } = this.#environment;
    const known = await store.findOne(UPLOADS, { _id: name });
    if (known && known.at > clock.now() - UPLOAD_RETENTION_MS) {
      return { outcome: 'uploaded', uploadId: known.uploadId, renewable: true };
    }
    const uploaded = await media.withFile(mediaId, upload);
    if (uploaded === null) return 'gone';
    if (uploaded.outcome !== 'uploaded') return uploaded;
    const change = { $set: { uploadId: uploaded.uploadId, at: clock.now() } };
    const record: Write = { update: UPLOADS, filter: { _id: name }, change, upsert: true };
    await this.#commit(record, 'upload id not recorded');
    return { ...uploaded, renewable: false };
  }

  /** A lost record costs another upload; a stale one that stays costs the message. */
  async #commit(write: Write, failedMessage: string): Promise<WriteOutcome | undefined> {
    const { store, log } = this.#environment;
    try {
      return (await store.commit([write]))[0];
    } catch (fault) {
      log.warn({ error: describe(fault) }, failedMessage);
      return undefined;
    }
  }

  #nameOf({ digest, mimeType, fileName }: MediaRecord): string {
    return `${this.#channelId}/${digest}/${mimeType}/${fileName ?? ''}`;
  }
}

/** Removes uploads that the network has dropped. */
export async function sweepUploads({ store, clock }: ChannelEnvironment): Promise<void> {
  const before = clock.now() - UPLOAD_RETENTION_MS;
  await purge(store, { collection: UPLOADS, filter: { at: { $lt: before } } });
}
