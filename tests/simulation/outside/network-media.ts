/** The files that a messaging network holds: those brought for sending, those contacts sent. */
import type { ReadableFile } from '../../../shared/media.ts';
import type {
  InboundMedia,
  MediaDownload,
  OutboundMedia,
  UploadOutcome,
} from '../../../shared/network.ts';
import type { Machine } from '../world/machine.ts';
import type { Weather } from '../world/weather.ts';
import { bytesOf, textOf } from './media-shelf.ts';

const HANGS_MS = 10_000;

export class NetworkMedia {
  readonly #weather: Weather;
  readonly #uploads = new Map<string, string>();
  /** What contacts sent and the network has let go. */
  readonly gone = new Set<string>();
  #names = 0;

  constructor(weather: Weather) {
    this.#weather = weather;
  }

  async upload(machine: Machine, file: ReadableFile): Promise<UploadOutcome> {
    const bytes = await bytesOf(file.read());
    const { chance } = this.#weather;
    const { promise, resolve } = Promise.withResolvers<UploadOutcome>();
    if (machine.dead) return promise;
    const ms = 5 + chance.around(40);
    const later = { outcome: 'later', waitMs: 300, scope: 'pair' } as const;
    const hangs = this.#weather.strikes('upload-hangs', 0.4);
    const fails = hangs || this.#weather.strikes('upload-fails', 0.4);
    const uploadId = `upload.${++this.#names}`;
    // It may be there although nobody was told.
    if (!fails || chance.happens(0.5)) this.#uploads.set(uploadId, textOf(bytes));
    const outcome: UploadOutcome = fails ? later : { outcome: 'uploaded', uploadId };
    machine.clock.after(hangs ? HANGS_MS : ms, () => resolve(outcome));
    return promise;
  }

  /** What the message would show; null when the network has forgotten it. */
  async contentOf({ content }: OutboundMedia): Promise<string | null> {
    if ('file' in content) return textOf(await bytesOf(content.file.read()));
    if (this.#weather.strikes('upload-forgotten', 0.3)) this.#uploads.delete(content.uploadId);
    return this.#uploads.get(content.uploadId) ?? null;
  }

  download(machine: Machine, { networkMediaId }: InboundMedia): Promise<MediaDownload> {
    const { promise, resolve } = Promise.withResolvers<MediaDownload>();
    if (machine.dead) return promise;
    const ms = 5 + this.#weather.chance.around(60);
    const answer = (after: number, download: MediaDownload): void => {
      machine.clock.after(after, () => resolve(download));
    };
    if (this.#weather.strikes('inbound-media-gone', 0.15)) this.gone.add(networkMediaId);
    const failed = { downloaded: false, final: false } as const;
    if (this.gone.has(networkMediaId)) answer(ms, { ...failed, final: true, cause: 'gone' });
    else if (this.#weather.strikes('download-hangs', 0.2)) {
      answer(HANGS_MS, { ...failed, cause: 'timeout' });
    } else if (this.#weather.strikes('download-fails', 0.3)) {
      answer(ms, { ...failed, cause: 'reset' });
    } else {
      const bytes = Buffer.from(sentBy(networkMediaId));
      const discard = () => undefined;
      answer(ms, { downloaded: true, body: once(bytes), mimeType: 'image/png', discard });
    }
    return promise;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The file that goes by this name at the network. */
export function sentBy(networkMediaId: string): string {
  return `foto ${networkMediaId}`;
}
