/**
 * A server of the MongoDB wire protocol in front of another. It announces itself as the primary of
 * a replica set, notes each command, and passes it on. So the commands to a replica set can be
 * observed on a standalone engine.
 */

import { connect as dial, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { serveTcp } from './stand-ins/server.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
/** Of an OP_MSG: several answers may follow; a monitor then asks again by itself. */
const EXHAUST_ALLOWED = 1 << 16;
const REPLY_DOCUMENT = HEADER + 20;
const MSG_DOCUMENT = HEADER + 5;
const HELLO = /^(hello|ismaster)$/i;

type Body = Record<string, unknown>;

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
        const command = commandOf(message);
        if (command && HELLO.test(command.name)) hellos.add(message.readInt32LE(4));
        else if (command) seen.push(command);
        if (command && cutsAt(command)) client.destroy();
        else behind.write(message);
      }),
    );
    behind.on(
      'data',
      framed((message) => {
        const isHello = hellos.delete(message.readInt32LE(8));
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

/** Whole messages of what comes in pieces. */
function framed(take: (message: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/** Null where a message is no command; asks for one answer only. */
function commandOf(message: Buffer): SeenCommand | null {
  const code = message.readInt32LE(12);
  if (code === OP_QUERY) {
    const end = message.indexOf(0, HEADER + 4);
    return named(BSON.deserialize(message.subarray(end + 9)));
  }
  if (code !== OP_MSG) return null;
  message.writeInt32LE(message.readInt32LE(HEADER) & ~EXHAUST_ALLOWED, HEADER);
  // Its sections come in any order: documents of a sequence are passed over.
  for (let at = HEADER + 4; at < message.length; ) {
    const size = message.readInt32LE(at + 1);
    if (message[at] === 0) return named(BSON.deserialize(message.subarray(at + 1, at + 1 + size)));
    at += 1 + size;
  }
  return null;
}

function named(body: Body): SeenCommand {
  const [name = '', target] = Object.entries(body)[0] ?? [];
  return { name, target, database: String(body.$db ?? ''), body };
}

/** The greeting of a server, as the primary and only member of a replica set would send it. */
function asPrimary(message: Buffer, { setName, me }: { setName: string; me: string }): Buffer {
  const at = message.readInt32LE(12) === OP_REPLY ? REPLY_DOCUMENT : MSG_DOCUMENT;
  const { topologyVersion: _, ...hello } = BSON.deserialize(message.subarray(at));
  const member = { setName, setVersion: 1, hosts: [me], primary: me, me };
  const role = { isWritablePrimary: true, ismaster: true, secondary: false };
  const document = BSON.serialize({ ...hello, ...member, ...role });
  const whole = Buffer.concat([message.subarray(0, at), document]);
  whole.writeInt32LE(whole.length, 0);
  return whole;
}
