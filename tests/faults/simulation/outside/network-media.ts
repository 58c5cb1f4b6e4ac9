/** The files that a messaging network holds: those brought for sending, those contacts sent. */
import type { ReadableFile } from '../../../../shared/ports/media.ts';
import type {
  MediaDownload,
  OutboundMedia,
  UploadOutcome,
} from '../../../../shared/ports/network.ts';
import type { InboundMedia } from '../../../../shared/ports/network-event.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import type { Machine } from '../world/machine.ts';
import { bytesOf, textOf } from './simulated-media.ts';

const HANGS_MS = 10_000;

export class NetworkMedia {
  readonly #faults: FaultInjector;
  readonly #uploads = new Map<string, string>();
  /** Contacts' files that the network has dropped. */
  readonly gone = new Set<string>();
  #names = 0;

  constructor(faults: FaultInjector) {
    this.#faults = faults;
  }

  async upload(machine: Machine, file: ReadableFile): Promise<UploadOutcome> {
    const bytes = await bytesOf(file.read());
    const { random } = this.#faults;
    const { promise, resolve } = Promise.withResolvers<UploadOutcome>();
    if (machine.dead) return promise;
    const ms = 5 + random.around(40);
    const later = { outcome: 'later', waitMs: 300, scope: 'pair' } as const;
    const hangs = this.#faults.injects('upload-hangs', 0.4);
    const fails = hangs || this.#faults.injects('upload-fails', 0.4);
    const uploadId = `upload.${++this.#names}`;
    // The file may be there although no answer says so.
    if (!fails || random.happens(0.5)) this.#uploads.set(uploadId, textOf(bytes));
    const outcome: UploadOutcome = fails ? later : { outcome: 'uploaded', uploadId };
    machine.clock.after(hangs ? HANGS_MS : ms, () => resolve(outcome));
    return promise;
  }

  /** The file that the message would show; null when the network has forgotten it. */
  async contentOf({ content }: OutboundMedia): Promise<string | null> {
    if ('file' in content) return textOf(await bytesOf(content.file.read()));
    if (this.#faults.injects('upload-forgotten', 0.3)) this.#uploads.delete(content.uploadId);
    return this.#uploads.get(content.uploadId) ?? null;
  }

  download(machine: Machine, { networkMediaId }: InboundMedia): Promise<MediaDownload> {
    const { promise, resolve } = Promise.withResolvers<MediaDownload>();
    if (machine.dead) return promise;
    const ms = 5 + this.#faults.random.around(60);
    const answer = (after: number, download: MediaDownload): void => {
      machine.clock.after(after, () => resolve(download));
    };
    if (this.#faults.injects('inbound-media-gone', 0.15)) this.gone.add(networkMediaId);
    const failed = { downloaded: false, final: false } as const;
    if (this.gone.has(networkMediaId)) answer(ms, { ...failed, final: true, cause: 'gone' });
    else if (this.#faults.injects('download-hangs', 0.2)) {
      answer(HANGS_MS, { ...failed, cause: 'timeout' });
    } else if (this.#faults.injects('download-fails', 0.3)) {
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
