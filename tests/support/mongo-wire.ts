/** Messages of the MongoDB wire protocol: their frames, and the commands and answers in them. */
import { BSON } from 'mongodb';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
/** Of an OP_MSG: of a command, that no answer is wanted; of an answer, that others follow. */
const MORE_TO_COME = 1 << 1;
/** Of an OP_MSG: several answers may follow; a monitor then asks again by itself. */
const EXHAUST_ALLOWED = 1 << 16;
const REPLY_DOCUMENT = HEADER + 20;
const MSG_DOCUMENT = HEADER + 5;
/** Every number keeps its type when a document is written again. */
const AS_WRITTEN = { promoteValues: false, bsonRegExp: true };

export type Body = Record<string, unknown>;

/** Whole messages of what comes in pieces. */
export function framed(take: (message: Buffer) => void): (piece: Buffer) => void {
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

export function idOf(message: Buffer): number {
  return message.readInt32LE(4);
}

/** The id of the command that it answers. */
export function answeredId(message: Buffer): number {
  return message.readInt32LE(8);
}

export interface WireCommand {
  readonly name: string;
  /** Its document as it is on the wire: other sections hold documents of a sequence. */
  readonly document: Buffer;
  readonly isAnswered: boolean;
  /** Every further answer may follow without being asked for. */
  readonly isExhaust: boolean;
}

/** Null where a message is no command. */
export function commandIn(message: Buffer): WireCommand | null {
  const code = message.readInt32LE(12);
  const at = documentAt(message, code);
  if (at === null) return null;
  const document = message.subarray(at, at + message.readInt32LE(at));
  // The first field names the command: a type, then the name.
  const name = document.toString('utf8', 5, document.indexOf(0, 5));
  const flags = code === OP_MSG ? message.readInt32LE(HEADER) : 0;
  const isAnswered = (flags & MORE_TO_COME) === 0;
  return { name, document, isAnswered, isExhaust: (flags & EXHAUST_ALLOWED) !== 0 };
}

/** Sections of an OP_MSG come in any order. */
function documentAt(message: Buffer, code: number): number | null {
  if (code === OP_QUERY) return message.indexOf(0, HEADER + 4) + 9;
  if (code !== OP_MSG) return null;
  for (let at = HEADER + 4; at < message.length; ) {
    if (message[at] === 0) return at + 1;
    at += 1 + message.readInt32LE(at + 1);
  }
  return null;
}

export function bodyOf({ document }: WireCommand): Body {
  return BSON.deserialize(document);
}

/** It asks for one answer only. */
export function withoutExhaust(message: Buffer): Buffer {
  if (message.readInt32LE(12) !== OP_MSG) return message;
  const single = Buffer.from(message);
  single.writeInt32LE(single.readInt32LE(HEADER) & ~EXHAUST_ALLOWED, HEADER);
  return single;
}

/** The message with its command changed. Documents of a sequence stay. */
export function withCommand(message: Buffer, change: (body: Body) => Body): Buffer {
  const command = commandIn(message);
  if (command === null) return message;
  const { document } = command;
  const at = document.byteOffset - message.byteOffset;
  const changed = BSON.serialize(change(BSON.deserialize(document, AS_WRITTEN)));
  const behind = message.subarray(at + document.length);
  return measured(Buffer.concat([message.subarray(0, at), changed, behind]));
}

/** The answer with its document changed. */
export function withAnswer(message: Buffer, change: (body: Body) => Body): Buffer {
  const at = answerAt(message);
  const changed = BSON.serialize(change(BSON.deserialize(message.subarray(at), AS_WRITTEN)));
  return measured(Buffer.concat([message.subarray(0, at), changed]));
}

function answerAt(message: Buffer): number {
  return message.readInt32LE(12) === OP_REPLY ? REPLY_DOCUMENT : MSG_DOCUMENT;
}

let answers = 0;

/** An answer that no engine gave, to the OP_MSG of that id. */
export function answerTo(id: number, body: Body): Buffer {
  const head = Buffer.alloc(MSG_DOCUMENT);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(OP_MSG, 12);
  return numbered(measured(Buffer.concat([head, BSON.serialize(body)])), id, false);
}

/** The answer under an id of its own, and whether another one follows. */
export function numbered(answer: Buffer, to: number, isFollowed: boolean): Buffer {
  const copy = Buffer.from(answer);
  answers = (answers + 1) % 0x7fff_ffff;
  copy.writeInt32LE(answers, 4);
  copy.writeInt32LE(to, 8);
  if (copy.readInt32LE(12) !== OP_MSG) return copy;
  const flags = copy.readInt32LE(HEADER) & ~MORE_TO_COME;
  copy.writeInt32LE(isFollowed ? flags | MORE_TO_COME : flags, HEADER);
  return copy;
}

function measured(message: Buffer): Buffer {
  message.writeInt32LE(message.length, 0);
  return message;
}
