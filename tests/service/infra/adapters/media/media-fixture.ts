/** Fixture of the media tests: a server of files, and reads of a stored file. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { onFilePort } from '../../../../support/file-ports.ts';
import type { Stack } from '../../../../support/stack.ts';
import { useUntil } from '../../../../support/stack-hooks.ts';
import { type Listener, listen } from '../../../../support/stand-ins/listener.ts';

export function bytesOf(text: string, times = 1): Buffer {
  return Buffer.from(text.repeat(times));
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface FileServer extends Listener {
  readonly url: string;
  /** The answer at a path. */
  readonly at: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  file(path: string, bytes: Uint8Array, headers?: Readonly<Record<string, string>>): string;
  /** How often a path was asked for. */
  asked(path: string): number;
  /** A path that redirects. */
  redirect(path: string, to: string, status?: number): string;
}

export async function serveFiles(): Promise<FileServer> {
  const at: FileServer['at'] = new Map();
  const asked = new Map<string, number>();
  const answerFile: RequestListener = (request, response) => {
    const path = request.url ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const answer = at.get(path);
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  };
  const listener = await onFilePort((place) => listen(answerFile, place));
  const url = `http://127.0.0.1:${listener.port}`;
  return {
    ...listener,
    url,
    at,
    file(path, bytes, headers = {}) {
      at.set(path, (_request, response) => response.writeHead(200, { ...headers }).end(bytes));
      return `${url}${path}`;
    },
    asked: (path) => asked.get(path) ?? 0,
    redirect(path, to, status = 302) {
      at.set(path, (_request, response) => response.writeHead(status, { location: to }).end());
      return `${url}${path}`;
    },
  };
}

export function useFiles(): FileServer {
  return useUntil(serveFiles, (files) => files.close());
}

const SentSchema = v.object({
  data: v.array(
    v.object({
      text: v.nullable(v.string()),
      kind: v.string(),
      media: v.optional(
        v.object({
          mimeType: v.string(),
          fileName: v.nullable(v.string()),
          sizeBytes: v.number(),
          sha256: v.string(),
        }),
      ),
    }),
  ),
});

/** Messages that the network accepted for a contact. */
export async function sentTo(stack: Stack, to: string) {
  return v.parse(SentSchema, await stack.network.control(`GET /sent?to=${to}`)).data;
}

export interface Read {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** A file as a caller gets it; `url` is what a message shows. */
export async function read(url: string, key?: string): Promise<Read> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

/** A contact writes with a file; resolves once the service has taken the webhook. */
export async function write(
  stack: Stack,
  request: Readonly<Record<string, unknown>>,
): Promise<void> {
  await stack.network.control('POST /inbound', request);
}

/** A file in an organization's library; answers its id, which messages name as `mediaId`. */
export async function libraryFile(
  stack: Stack,
  org: string,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'recado-media-'));
  try {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const added = await stack.ask('files', 'add', path, '--org', org);
    return v.parse(v.object({ id: v.string() }), added).id;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function bytesIn(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
