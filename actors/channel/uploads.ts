/**
 * Uploads to networks, single-flight: the messages that want one file at one number share one
 * upload, and later ones its name at the network, for 29 days (D127).
 *
 * 1. Of one channel and content one look-up or upload is under way; callers that come
 *    meanwhile wait for its outcome.
 * 2. A name is forgotten only by who was refused under it: a newer one stays. One renewal serves
 *    all that were refused.
 * 3. A message that is refused while others are accepted under the same upload is tried again
 *    under it: the upload stays. After so many refusals the message itself is to blame.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import { UPLOAD_KEPT_MS } from '../../shared/limits.ts';
import type { LentFile, MediaRecord } from '../../shared/media.ts';
import type { SendOutcome, UploadOutcome } from '../../shared/network.ts';
import type { Document, Filter, Write } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import { sweepAway } from '../runtime/sweep.ts';
import type { DeskWorld } from './configuration.ts';

const UPLOADS = 'uploads';
const PROVEN_MAX = 256;
const BLAMING_MAX = 1_024;
const BLAMES_MAX = 3;

interface UploadDocument extends Document {
  readonly uploadId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A file's name at the network; `renewable` when an earlier message had it uploaded. */
export interface Uploaded {
  readonly outcome: 'uploaded';
  readonly uploadId: string;
  readonly renewable: boolean;
}

export type UploadResult = Uploaded | Exclude<UploadOutcome, { outcome: 'uploaded' }> | 'gone';

/** A send that was refused for its file. */
export interface Blamed {
  readonly messageId: string;
  readonly uploaded: Uploaded;
  /** When it began, monotonic milliseconds. */
  readonly since: number;
}

export type Upload = (file: LentFile) => Promise<UploadOutcome>;

/** The uploads of one channel. */
export class Uploads {
  readonly #channelId: string;
  readonly #world: DeskWorld;
  /** By name; as many as files under way. */
  readonly #underWay = new Map<string, Promise<UploadResult>>();
  /** When a message was last accepted under an upload's id, monotonic milliseconds. */
  readonly #proven = new GenerationalCache<string, number>(PROVEN_MAX);
  /** How often a message was refused for its file. */
  readonly #blames = new GenerationalCache<string, number>(BLAMING_MAX);

  constructor(channelId: string, world: DeskWorld) {
    this.#channelId = channelId;
    this.#world = world;
  }

  /** Rejects when the store does. */
  nameOf(record: MediaRecord, upload: Upload): Promise<UploadResult> {
    const name = this.#name(record);
    const known = this.#underWay.get(name);
    if (known) return known;
    const under = this.#find(name, record.id, upload).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, under);
    return under;
  }

  accepted({ uploadId }: Uploaded): void {
    this.#proven.set(uploadId, this.#world.clock.monotonic());
  }

  /** Whether another try of the message may fare better. */
  async retries(record: MediaRecord, { messageId, uploaded, since }: Blamed): Promise<boolean> {
    const { uploadId, renewable } = uploaded;
    const blames = (this.#blames.get(messageId) ?? 0) + 1;
    if (!renewable || blames > BLAMES_MAX) {
      this.#blames.delete(messageId);
      return false;
    }
    this.#blames.set(messageId, blames);
    if ((this.#proven.get(uploadId) ?? Number.NEGATIVE_INFINITY) >= since) return true;
    return this.#forget({ _id: this.#name(record), uploadId });
  }

  async #forget(filter: Filter): Promise<boolean> {
    const { store, log } = this.#world;
    try {
      const [removed] = await store.commit([{ remove: UPLOADS, filter }]);
      return removed?.ok === true;
    } catch (fault) {
      log.warn({ error: describe(fault) }, 'a stale upload could not be forgotten');
      return false;
    }
  }

  async #find(name: string, mediaId: string, upload: Upload): Promise<UploadResult> {
    const { store, clock, media } = this.#world;
    const known = await store.findOne<UploadDocument>(UPLOADS, { _id: name });
    if (known && known.at > clock.now() - UPLOAD_KEPT_MS) {
      return { outcome: 'uploaded', uploadId: known.uploadId, renewable: true };
    }
    const uploaded = await media.lend(mediaId, upload);
    if (uploaded === null) return 'gone';
    if (uploaded.outcome !== 'uploaded') return uploaded;
    await this.#keep(name, uploaded.uploadId);
    return { ...uploaded, renewable: false };
  }

  /** Losing it only costs an upload. */
  async #keep(name: string, uploadId: string): Promise<void> {
    const { store, clock, log } = this.#world;
    const change = { $set: { uploadId, at: clock.now() } };
    const write: Write = { update: UPLOADS, filter: { _id: name }, change, upsert: true };
    try {
      await store.commit([write]);
    } catch (fault) {
      log.warn({ error: describe(fault) }, 'an upload could not be remembered');
    }
  }

  #name({ digest, mimeType, fileName }: MediaRecord): string {
    return `${this.#channelId}/${digest}/${mimeType}/${fileName ?? ''}`;
  }
}

/** Whether a refusal may be about the file's upload. */
export function blamesMedia(outcome: SendOutcome): boolean {
  return outcome.outcome === 'refused' && outcome.aboutMedia === true;
}

/** Forgets those that the network has forgotten. */
export async function sweepUploads({
  store,
  clock,
}: Pick<DeskWorld, 'store' | 'clock'>): Promise<void> {
  const before = clock.now() - UPLOAD_KEPT_MS;
  await sweepAway(store, { collection: UPLOADS, filter: { at: { $lt: before } } });
}
