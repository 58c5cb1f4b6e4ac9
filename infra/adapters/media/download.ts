/**
 * Downloads from callers' URLs (C4.9.2, D15).
 *
 * 1. Every hop is checked like the first: its URL before, its addresses while connecting.
 * 2. Redirects are followed one by one, three at most; a body that is not wanted is not read.
 * 3. One deadline covers the whole download, and the MIME type determines the bound on its bytes.
 * 4. The body is passed on part by part, at the consumer's pace; none of it is kept here.
 * 5. The result never reveals the address that a name resolves to.
 */
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { mimeByName } from '../../../shared/file-name.ts';
import {
  DOWNLOADS_HELD_BYTES,
  DOWNLOADS_HELD_BYTES_PER_ORGANIZATION,
  MEDIA_FETCH_MS,
  MEDIA_REDIRECTS_MAX,
  MEDIA_UNDER_WAY_BYTES,
} from '../../../shared/limits.ts';
import { plainMime } from '../../../shared/media.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { IncomingFile } from '../../../shared/ports/media.ts';
import {
  type AddressGuard,
  createAddressGuard,
  createGuardedAgent,
  targetOf,
} from '../outbound/address-guard.ts';
import { DeadlineError, readNetworkFailure } from '../outbound/network-failure.ts';
import { type Resolve, resolveBySystem, singleFlightResolve } from '../outbound/resolver.ts';
import { boundedRequest, checkUrl, URL_REFUSALS } from '../outbound/safe-fetch.ts';
import { ByteBudget, type Usage } from './budget.ts';
import { fileNameOf } from './file-name.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** A slow server keeps no more than its own organization's part. */
const BOUNDS = { bytes: DOWNLOADS_HELD_BYTES, perHolder: DOWNLOADS_HELD_BYTES_PER_ORGANIZATION };
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MEBIBYTE = 1024 * 1024;

const REASONS = {
  redirects: `A URL redireciona mais de ${MEDIA_REDIRECTS_MAX} vezes.`,
  unreachable: 'Não foi possível baixar o arquivo da URL.',
  late: 'O arquivo da URL demorou demais para ser baixado.',
  encoded: 'O servidor da URL enviou o arquivo comprimido.',
  empty: 'O arquivo da URL está vazio.',
} as const;

export interface DownloaderOptions {
  /** `host:port` entries (PRIVATE_NETWORK_ALLOW). */
  readonly allow: readonly string[];
  readonly clock: Clock;
  /** For all of it; 30 s unless set. */
  readonly withinMs?: number;
  readonly resolve?: Resolve;
}

/** A file's announcement, before its body. */
export interface FileHead {
  readonly mimeType: string;
  /** As the server announces it. */
  readonly sizeBytes: number | null;
}

export interface DownloadJob<Stored> {
  readonly url: string;
  readonly orgId: string;
  readonly maxBytes: (mimeType: string) => number;
  /** False: the body is not read. */
  readonly wants: (head: FileHead) => boolean;
  /** Takes the body, in time or not at all. */
  readonly store: (file: IncomingFile) => Promise<Stored>;
}

/** `reason` is Portuguese; null where the head was not wanted. */
export type Downloaded<Stored> =
  | { readonly downloaded: true; readonly stored: Stored }
  | { readonly downloaded: false; readonly reason: string | null };

export interface Downloader {
  /** Why the URL's own text is refused (Portuguese), or null. */
  refuse(url: string): string | null;
  /** Rejects only when `store` does, for a reason of its own. */
  download<Stored>(job: DownloadJob<Stored>): Promise<Downloaded<Stored>>;
  usage(): Usage;
  close(): Promise<void>;
}

/** Refused with a sentence for the caller; null where the head was not wanted. */
class DownloadRefused extends Error {
  readonly reason: string | null;

  constructor(reason: string | null) {
    super(reason ?? 'not wanted');
    this.reason = reason;
  }
}

/** The caller's URL is not to blame. */
class StoreFailed extends Error {}

/** Throws on an `allow` entry that is not `host:port`. */
export function createDownloader(options: DownloaderOptions): Downloader {
  const { allow, clock, withinMs = MEDIA_FETCH_MS } = options;
  const guard = createAddressGuard({ allow, loopback: false });
  const agent = createGuardedAgent({
    guard,
    resolve: singleFlightResolve(options.resolve ?? resolveBySystem),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const budget = new ByteBudget(BOUNDS);
  return {
    refuse: (url) => refuse(guard, url),
    async download(job) {
      const controller = new AbortController();
      const { signal } = controller;
      const late = new DeadlineError(`not downloaded within ${withinMs} ms`);
      const cancel = clock.after(withinMs, () => controller.abort(late));
      const reservation = { bytes: MEDIA_UNDER_WAY_BYTES, signal };
      try {
        const stored = await budget.withReserved(job.orgId, reservation, () =>
          follow(job, { agent, signal }),
        );
        return { downloaded: true, stored };
      } catch (error) {
        if (error instanceof StoreFailed) throw error.cause;
        return { downloaded: false, reason: reasonOf(error) };
      } finally {
        cancel();
      }
    },
    usage: () => budget.usage,
    close: () => agent.destroy(),
  };
}

function refuse(guard: AddressGuard, text: string): string | null {
  const checked = checkUrl(text);
  if ('refused' in checked) return URL_REFUSALS[checked.refused];
  const target = targetOf(checked.url);
  const isInternal = isIP(target.host) !== 0 && !guard.admits(target.host, target);
  return isInternal ? URL_REFUSALS.internal : null;
}

function reasonOf(error: unknown): string | null {
  if (error instanceof DownloadRefused) return error.reason;
  const { kind } = readNetworkFailure(error);
  if (kind === 'blocked_address') return URL_REFUSALS.internal;
  return kind === 'timeout' ? REASONS.late : REASONS.unreachable;
}

interface FetchContext {
  readonly agent: Dispatcher;
  readonly signal: AbortSignal;
}

async function follow<Stored>(job: DownloadJob<Stored>, context: FetchContext): Promise<Stored> {
  let text = job.url;
  for (let hops = 0; hops <= MEDIA_REDIRECTS_MAX; hops++) {
    const checked = checkUrl(text);
    if ('refused' in checked) throw new DownloadRefused(URL_REFUSALS[checked.refused]);
    const answer = await get(checked.url, context);
    const location = REDIRECTS.has(answer.statusCode) ? headerOf(answer, 'location') : null;
    if (location === null) return await storeBody(checked.url, answer, job);
    discard(answer);
    const next = URL.parse(location, checked.url.href);
    if (next === null) throw new DownloadRefused(REASONS.unreachable);
    text = next.href;
  }
  throw new DownloadRefused(REASONS.redirects);
}

function get(url: URL, { agent, signal }: FetchContext): Promise<Dispatcher.ResponseData> {
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'recado' };
  // The signal is the only deadline; undici's own timers are coarser.
  const timers = { headersTimeout: 0, bodyTimeout: 0 };
  return boundedRequest(url, { method: 'GET', headers, dispatcher: agent, ...timers }, signal);
}

async function storeBody<Stored>(
  url: URL,
  answer: Dispatcher.ResponseData,
  { maxBytes, wants, store }: DownloadJob<Stored>,
): Promise<Stored> {
  const { statusCode } = answer;
  const refuse = (reason: string | null): never => {
    discard(answer);
    throw new DownloadRefused(reason);
  };
  if (statusCode < 200 || statusCode > 299) {
    refuse(`O servidor da URL respondeu com o status ${statusCode}.`);
  }
  if (!['', 'identity'].includes(headerOf(answer, 'content-encoding') ?? '')) {
    refuse(REASONS.encoded);
  }
  const fileName = fileNameOf(headerOf(answer, 'content-disposition'), url);
  const mimeType = mimeByName(plainMime(headerOf(answer, 'content-type')), fileName);
  const most = maxBytes(mimeType);
  const announced = headerOf(answer, 'content-length');
  const sizeBytes = announced === null ? null : Number(announced);
  if (sizeBytes !== null && sizeBytes > most) refuse(tooLong(most));
  if (!wants({ mimeType, sizeBytes })) refuse(null);
  const body = new BoundedBody(answer, most);
  try {
    return await store({ mimeType, fileName, body: body.parts() });
  } catch (cause) {
    throw body.failure ?? new StoreFailed('the file was not stored', { cause });
  } finally {
    discard(answer);
  }
}

function tooLong(mostBytes: number): string {
  return `O arquivo da URL tem mais de ${mostBytes / MEBIBYTE} MiB.`;
}

/** Knows whether it was the body that failed, or its taker. */
class BoundedBody {
  readonly #answer: Dispatcher.ResponseData;
  readonly #mostBytes: number;
  failure: unknown = null;

  constructor(answer: Dispatcher.ResponseData, mostBytes: number) {
    this.#answer = answer;
    this.#mostBytes = mostBytes;
  }

  async *parts(): AsyncGenerator<Uint8Array> {
    let read = 0;
    try {
      for await (const part of this.#answer.body) {
        read += part.length;
        if (read > this.#mostBytes) throw new DownloadRefused(tooLong(this.#mostBytes));
        yield part;
      }
      if (read === 0) throw new DownloadRefused(REASONS.empty);
    } catch (cause) {
      this.failure = cause;
      throw cause;
    }
  }
}

function headerOf(answer: Dispatcher.ResponseData, name: string): string | null {
  const value = answer.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Destroying a body that is not at its end makes it emit an unhandled error. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined);
  body.destroy();
}
