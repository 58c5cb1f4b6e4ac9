/**
 * Downloads from callers' URLs (contract section 4, `mediaUrl`).
 *
 * 1. Every hop is checked like the first: its spelling before, its addresses while connecting.
 * 2. Redirects are followed one by one, three at most; a body that is not wanted is not read.
 * 3. One deadline for all of it, and a bound on the bytes that the MIME type decides.
 * 4. Never rejects, and never tells what a name resolves to.
 */
import type { Dispatcher } from 'undici';
import { MEDIA_FETCH_MS, MEDIA_REDIRECTS_MAX } from '../../shared/limits.ts';
import { type Download, type DownloadAsker, plainMime } from '../../shared/media.ts';
import type { Clock } from '../../shared/ports.ts';
import { createAddressGuard } from '../outbound/address-guard.ts';
import { boundedRequest } from '../outbound/bounded-request.ts';
import { createGuardedAgent } from '../outbound/guarded-agent.ts';
import { DeadlineError, readNetworkFailure } from '../outbound/network-failure.ts';
import { type Resolve, resolveBySystem, sharedResolve } from '../outbound/resolver.ts';
import { checkUrl, URL_REFUSALS } from '../outbound/safe-fetch.ts';
import { fileNameOf, mimeByName } from './file-name.ts';
import { Slots } from './slots.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Files are held in memory until they are whole; a slow server keeps its organization's only. */
const SHARES = { atOnce: 24, perHolder: 6 };
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

export interface Downloader {
  download(url: string, asker: DownloadAsker): Promise<Download>;
  close(): Promise<void>;
}

/** Refused with a sentence for the caller. */
class Refused extends Error {}

/** Throws on an `allow` entry that is not `host:port`. */
export function createDownloader(options: DownloaderOptions): Downloader {
  const { allow, clock, withinMs = MEDIA_FETCH_MS } = options;
  const agent = createGuardedAgent({
    guard: createAddressGuard({ allow, loopback: false }),
    resolve: sharedResolve(options.resolve ?? resolveBySystem),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const slots = new Slots(SHARES);
  return {
    async download(url, { orgId, maxBytes }) {
      const controller = new AbortController();
      const late = new DeadlineError(`not downloaded within ${withinMs} ms`);
      const cancel = clock.after(withinMs, () => controller.abort(late));
      try {
        await slots.take(orgId, controller.signal);
        try {
          return await follow(url, maxBytes, { agent, signal: controller.signal });
        } finally {
          slots.give(orgId);
        }
      } catch (error) {
        return { downloaded: false, reason: reasonOf(error) };
      } finally {
        cancel();
      }
    },
    close: () => agent.destroy(),
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  const { kind } = readNetworkFailure(error);
  if (kind === 'blocked_address') return URL_REFUSALS.internal;
  return kind === 'timeout' ? REASONS.late : REASONS.unreachable;
}

interface Exit {
  readonly agent: Dispatcher;
  readonly signal: AbortSignal;
}

async function follow(
  first: string,
  maxBytes: (mimeType: string) => number,
  exit: Exit,
): Promise<Download> {
  let text = first;
  for (let hops = 0; hops <= MEDIA_REDIRECTS_MAX; hops++) {
    const checked = checkUrl(text);
    if ('refused' in checked) throw new Refused(URL_REFUSALS[checked.refused]);
    const answer = await get(checked.url, exit);
    const location = REDIRECTS.has(answer.statusCode) ? headerOf(answer, 'location') : null;
    if (location === null) return await take(checked.url, answer, maxBytes);
    discard(answer);
    const next = URL.parse(location, checked.url.href);
    if (next === null) throw new Refused(REASONS.unreachable);
    text = next.href;
  }
  throw new Refused(REASONS.redirects);
}

function get(url: URL, { agent, signal }: Exit): Promise<Dispatcher.ResponseData> {
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'recado' };
  // The signal is the only deadline; undici's own timers are coarser.
  const timers = { headersTimeout: 0, bodyTimeout: 0 };
  return boundedRequest(url, { method: 'GET', headers, dispatcher: agent, ...timers }, signal);
}

async function take(
  url: URL,
  answer: Dispatcher.ResponseData,
  maxBytes: (mimeType: string) => number,
): Promise<Download> {
  const { statusCode } = answer;
  const refuse = (reason: string): never => {
    discard(answer);
    throw new Refused(reason);
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
  const tooLong = `O arquivo da URL tem mais de ${most / MEBIBYTE} MiB.`;
  if (Number(headerOf(answer, 'content-length') ?? 0) > most) refuse(tooLong);
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of answer.body) {
    read += chunk.length;
    if (read > most) refuse(tooLong);
    chunks.push(chunk);
  }
  if (read === 0) throw new Refused(REASONS.empty);
  return { downloaded: true, file: { bytes: Buffer.concat(chunks), mimeType, fileName } };
}

function headerOf(answer: Dispatcher.ResponseData, name: string): string | null {
  const value = answer.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Destroying a body that is not at its end makes it emit an error that nobody waits for. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined);
  body.destroy();
}
