/**
 * Media store of a world's processes, and the web behind callers' URLs. The file at a URL changes
 * with every download, as a replaced file does.
 */
import { createHash } from 'node:crypto';
import type {
  Download,
  DownloadRequest,
  Media,
  MediaRecord,
  NamedPlace,
  ReadableFile,
} from '../../../../shared/ports/media.ts';
import type { DatabaseLink } from '../world/database-link.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import type { Machine } from '../world/machine.ts';

const CALL_MS = 5_000;
const HANGS_MS = 10_000;
const IMAGE = 'image/png';

/** The file of the organization's library that is there from the beginning. */
export const LIBRARY_TEXT = 'tabela de preços';
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
  /** Until it is found named: when it was last asked for, and the entry that is to name it. */
  loose?: { readonly since: number; readonly entryId: string } | undefined;
}

export class SimulatedMedia {
  readonly #faults: FaultInjector;
  readonly #link: DatabaseLink;
  readonly #kept = new Map<string, Kept>();
  /** Contents of added library files, by their names. */
  readonly #library = new Map<string, Uint8Array>();
  #fetches = 0;

  constructor(faults: FaultInjector, link: DatabaseLink) {
    this.#faults = faults;
    this.#link = link;
  }

  /** The text of every file by its id. */
  contents(): ReadonlyMap<string, string> {
    const texts = [...this.#kept].map(([id, { bytes }]) => [id, textOf(bytes)] as const);
    return new Map(texts);
  }

  mediaFor(machine: Machine): Media {
    const call = <T>(run: () => T): Promise<T> => this.#call(machine, run);
    return {
      refuse: () => null,
      fetch: (id, place, request) => this.#fetch(machine, [id, place], request),
      find: (id) => call(() => this.#kept.get(id)?.record ?? null),
      keep: async (id, place, { body, mimeType, fileName }) => {
        const known = await call(() => this.#askedFor(machine, id));
        if (known) return known;
        const bytes = await bytesOf(body);
        const file = { bytes, mimeType, fileName };
        return call(() => this.#put(machine, [id, place], file));
      },
      adopt: (id, place, { contentId, mimeType, fileName, sizeBytes, digest }) => {
        const record = { id, ...place, mimeType, fileName, sizeBytes, digest };
        const bytes = this.#library.get(contentId) ?? LIBRARY_BYTES;
        return call(() => this.#putOnce({ record, bytes }));
      },
      putPart: () => Promise.reject(new Error('nobody uploads here')),
      endUpload: () => Promise.reject(new Error('nobody uploads here')),
      // Files of a world are so small that one part is all.
      putLibraryPart: (contentId, _start, bytes) =>
        call(() => void this.#library.set(contentId, bytes)),
      endLibraryFile: (contentId, sizeBytes) =>
        call(() => {
          const size = this.#library.get(contentId)?.length ?? 0;
          if (size !== sizeBytes) throw new Error(`${size} of ${sizeBytes} bytes were written`);
        }),
      claim: () => Promise.resolve(null),
      withFile: async (id, use) => {
        const kept = await call(() => this.#kept.get(id) ?? null);
        return kept && use(lentOf(kept));
      },
      part: (id, { start, end }) =>
        call(() => this.#kept.get(id)?.bytes.subarray(start, end) ?? null),
      sweep: async (before, namingOf) => {
        let removed = 0;
        for (const [id, kept] of [...this.#kept]) {
          const { loose } = kept;
          if (!loose || loose.since >= before) continue;
          const naming = await namingOf({ id, entryId: loose.entryId });
          if (this.#kept.get(id)?.loose !== loose) continue;
          if (naming === 'named') kept.loose = undefined;
          if (naming === 'waiting') kept.loose = { ...loose, since: machine.clock.now() };
          if (naming === 'unnamed' && this.#kept.delete(id)) removed += 1;
        }
        return removed;
      },
    };
  }

  /** The record under an id; a loose one is young again. */
  #askedFor(machine: Machine, id: string): MediaRecord | null {
    const known = this.#kept.get(id);
    if (known?.loose) known.loose = { ...known.loose, since: machine.clock.now() };
    return known?.record ?? null;
  }

  #putOnce(kept: Kept): MediaRecord {
    const known = this.#kept.get(kept.record.id);
    if (!known) this.#kept.set(kept.record.id, kept);
    return (known ?? kept).record;
  }

  #put(
    machine: Machine,
    [id, { entryId, ...place }]: readonly [string, NamedPlace],
    file: Pick<MediaRecord, 'mimeType' | 'fileName'> & { readonly bytes: Uint8Array },
  ): MediaRecord {
    const { bytes, mimeType, fileName } = file;
    const sizeBytes = bytes.length;
    const record = { id, ...place, mimeType, fileName, sizeBytes, digest: digestOf(bytes) };
    const loose = { since: machine.clock.now(), entryId };
    return this.#askedFor(machine, id) ?? this.#putOnce({ record, bytes, loose });
  }

  async #call<T>(machine: Machine, run: () => T): Promise<T> {
    const fails = this.#faults.injects('store-read-fails', 0.04);
    const lost = this.#faults.injects('media-answer-lost', 0.15);
    const result = await this.#link.call(machine, run, { ms: CALL_MS, fails });
    if (lost) throw new Error('the answer was lost');
    return result;
  }

  async #fetch(
    machine: Machine,
    [id, place]: readonly [string, NamedPlace],
    { url, accepts }: DownloadRequest,
  ): Promise<Download> {
    const known = await this.#call(machine, () => this.#askedFor(machine, id));
    if (known) return { downloaded: true, media: known };
    const bytes = await this.#download(machine, url);
    if (!bytes) return { downloaded: false, reason: 'O arquivo não pôde ser baixado.' };
    const file = { bytes, mimeType: IMAGE, fileName: null };
    const wanted = accepts({ mimeType: IMAGE, sizeBytes: bytes.length });
    if (!wanted) return { downloaded: false, reason: null };
    const put = () => this.#put(machine, [id, place], file);
    return { downloaded: true, media: await this.#call(machine, put) };
  }

  /** Null when nothing came. */
  #download(machine: Machine, url: string): Promise<Uint8Array | null> {
    const { promise, resolve } = Promise.withResolvers<Uint8Array | null>();
    const answer = (ms: number, come: () => Uint8Array | null): void => {
      machine.clock.after(ms, () => resolve(come()));
    };
    const ms = 5 + this.#faults.random.around(60);
    if (this.#faults.injects('media-url-hangs', 0.2)) answer(HANGS_MS, () => null);
    else if (this.#faults.injects('media-url-refuses', 0.3)) answer(ms, () => null);
    else answer(ms, () => Buffer.from(`${url} ${++this.#fetches}`));
    return promise;
  }
}

function lentOf({ record, bytes }: Kept): ReadableFile {
  const { mimeType, fileName, sizeBytes } = record;
  return {
    mimeType,
    fileName,
    sizeBytes,
    async *read() {
      yield bytes;
    },
  };
}

export async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
