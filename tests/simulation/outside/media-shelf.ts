/**
 * Where the processes of a world keep media, and the web that callers' URLs lead to: what is there
 * changes with every look, as a file may that is replaced.
 */
import { createHash } from 'node:crypto';
import type { Download, Media, MediaRecord } from '../../../shared/media.ts';
import type { Machine } from '../world/machine.ts';
import type { RecordWay } from '../world/record.ts';
import type { Weather } from '../world/weather.ts';

const CALL_MS = 5_000;
const HANGS_MS = 10_000;
const IMAGE = 'image/png';

/** The one file of the organization's library. */
const LIBRARY_TEXT = 'tabela de preços';
const LIBRARY_BYTES = Buffer.from(LIBRARY_TEXT);

export const LIBRARY_FILE = {
  ref: 'tabela',
  name: 'tabela.png',
  mimeType: IMAGE,
  contentDigest: digestOf(LIBRARY_BYTES),
  sizeBytes: LIBRARY_BYTES.length,
};

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Kept {
  readonly record: MediaRecord;
  readonly bytes: Uint8Array;
}

export class MediaShelf {
  readonly #weather: Weather;
  readonly #way: RecordWay;
  readonly #kept = new Map<string, Kept>();
  #looks = 0;

  constructor(weather: Weather, way: RecordWay) {
    this.#weather = weather;
    this.#way = way;
  }

  /** The text of every file by its id. */
  contents(): ReadonlyMap<string, string> {
    const texts = [...this.#kept].map(([id, { bytes }]) => [id, textOf(bytes)] as const);
    return new Map(texts);
  }

  mediaFor(machine: Machine): Media {
    const call = <T>(run: () => T): Promise<T> => this.#call(machine, run);
    const put = (kept: Kept): MediaRecord => {
      const known = this.#kept.get(kept.record.id);
      if (!known) this.#kept.set(kept.record.id, kept);
      return (known ?? kept).record;
    };
    return {
      fetch: (url) => this.#fetch(machine, url),
      find: (id) => call(() => this.#kept.get(id)?.record ?? null),
      keep: (id, place, { bytes, mimeType, fileName }) => {
        const sizeBytes = bytes.length;
        const record = { id, ...place, mimeType, fileName, sizeBytes, digest: digestOf(bytes) };
        return call(() => put({ record, bytes }));
      },
      adopt: (id, place, { mimeType, fileName, sizeBytes, digest }) => {
        const record = { id, ...place, mimeType, fileName, sizeBytes, digest };
        return call(() => put({ record, bytes: LIBRARY_BYTES }));
      },
      open: (id) => call(() => this.#kept.get(id)?.bytes ?? null),
    };
  }

  async #call<T>(machine: Machine, run: () => T): Promise<T> {
    const fails = this.#weather.strikes('store-read-fails', 0.04);
    const lost = this.#weather.strikes('media-answer-lost', 0.15);
    const result = await this.#way.call(machine, run, { ms: CALL_MS, fails });
    if (lost) throw new Error('the answer was lost');
    return result;
  }

  #fetch(machine: Machine, url: string): Promise<Download> {
    const { promise, resolve } = Promise.withResolvers<Download>();
    const answer = (ms: number, download: () => Download): void => {
      machine.clock.after(ms, () => resolve(download()));
    };
    const refused = { downloaded: false, reason: 'O arquivo não pôde ser baixado.' } as const;
    const ms = 5 + this.#weather.chance.around(60);
    if (this.#weather.strikes('media-url-hangs', 0.2)) answer(HANGS_MS, () => refused);
    else if (this.#weather.strikes('media-url-refuses', 0.3)) answer(ms, () => refused);
    else {
      answer(ms, () => {
        const bytes = Buffer.from(`${url} ${++this.#looks}`);
        return { downloaded: true, file: { bytes, mimeType: IMAGE, fileName: null } };
      });
    }
    return promise;
  }
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
