/** A real listener on the loopback range that counts what reaches it. */
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { opened } from './server.ts';

export interface Listener extends AsyncDisposable {
  readonly port: number;
  connections(): number;
  bodies(): readonly string[];
  close(): Promise<void>;
}

/** Listens on 127.0.0.1, and on ::1 too where the machine has it, at one port. */
export async function listen(
  answer: RequestListener,
  { port: wanted = 0 }: { readonly port?: number } = {},
): Promise<Listener> {
  let connections = 0;
  const bodies: string[] = [];
  const create = () =>
    createServer(async (request, response) => {
      bodies.push(await text(request));
      answer(request, response);
    }).on('connection', () => {
      connections += 1;
    });
  const first = await opened(create(), { port: wanted });
  const { port } = first;
  const second = await opened(create(), { port, host: '::1' }).catch(async (error: unknown) => {
    if (ABSENT.has(codeOf(error))) return null;
    await first.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await first.close();
    await second?.close();
  };
  return {
    port,
    connections: () => connections,
    bodies: () => bodies,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A machine without IPv6. */
const ABSENT = new Set<unknown>(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}
