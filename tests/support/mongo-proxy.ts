/**
 * A server of the MongoDB wire protocol in front of another. It announces itself as the primary of
 * a replica set, notes each command, and passes it on. So the commands to a replica set can be
 * observed on a standalone engine.
 */

import { connect as dial, type Socket } from 'node:net';
import {
  answeredId,
  type Body,
  bodyOf,
  commandIn,
  framed,
  idOf,
  withAnswer,
  withoutExhaust,
} from './mongo-wire.ts';
import { serveTcp } from './stand-ins/server.ts';

const HELLO = /^(hello|ismaster)$/i;

export interface SeenCommand {
  readonly name: string;
  /** Its first value: the collection, mostly. */
  readonly target: unknown;
  readonly database: string;
  readonly body: Body;
}

export interface MongoProxy {
  /** Without options. */
  readonly url: string;
  readonly seen: SeenCommand[];
  close(): Promise<void>;
}

/**
 * @param uri of the engine behind it
 * @param setName null: it announces a standalone engine, as the engine does
 * @param cutsAt true: the connection breaks at this command, which is not passed on
 */
export async function startMongoProxy(
  uri: string,
  setName: string | null,
  cutsAt: (command: SeenCommand) => boolean = () => false,
): Promise<MongoProxy> {
  const [, hosts = ''] = /^mongodb:\/\/([^/?]+)/.exec(uri) ?? [];
  const [host = '', port] = decodeURIComponent(hosts).split(':');
  const upstream = host.startsWith('/') ? { path: host } : { host, port: Number(port ?? 27017) };
  const seen: SeenCommand[] = [];
  const { port: own, close } = await serveTcp((client) => {
    const behind = dial(upstream);
    tie(client, behind);
    const hellos = new Set<number>();
    client.on(
      'data',
      framed((message) => {
        const command = seenIn(message);
        if (command && HELLO.test(command.name)) hellos.add(idOf(message));
        else if (command) seen.push(command);
        if (command && cutsAt(command)) client.destroy();
        else behind.write(withoutExhaust(message));
      }),
    );
    behind.on(
      'data',
      framed((message) => {
        const isHello = hellos.delete(answeredId(message));
        client.write(isHello && setName !== null ? asPrimary(message, { setName, me }) : message);
      }),
    );
  });
  const me = `127.0.0.1:${own}`;
  return { url: `mongodb://${me}/`, seen, close };
}

/** Where one of the two ends, the other does. */
function tie(client: Socket, behind: Socket): void {
  for (const socket of [client, behind]) {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      client.destroy();
      behind.destroy();
    });
  }
}

function seenIn(message: Buffer): SeenCommand | null {
  const command = commandIn(message);
  if (command === null) return null;
  const body = bodyOf(command);
  const [name = '', target] = Object.entries(body)[0] ?? [];
  return { name, target, database: String(body.$db ?? ''), body };
}

/** The greeting of a server, as the primary and only member of a replica set would send it. */
function asPrimary(message: Buffer, { setName, me }: { setName: string; me: string }): Buffer {
  return withAnswer(message, ({ topologyVersion: _, ...hello }) => {
    const member = { setName, setVersion: 1, hosts: [me], primary: me, me };
    return { ...hello, ...member, isWritablePrimary: true, ismaster: true, secondary: false };
  });
}
