/**
 * Server parameters that the embedded engine gets once it is open. It accepts settings only by a
 * command. A driver in its process for one command would add 100 ms to the start. So the message is
 * encoded here, in the wire protocol's form (OP_MSG with one document).
 */

/**
 * Interval of the journal's background flush, milliseconds. A write that waits for the journal
 * starts a flush at once. The engine's default of ten flushes a second is an eighth of a percent of
 * a core while idle.
 */
const JOURNAL_INTERVAL_MS = 500;

const OP_MSG = 2013;
const HEADER_BYTES = 16;

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function numberField(name: string, value: number): Buffer {
  return Buffer.concat([Buffer.from(`\x10${name}\0`), int32(value)]);
}

function textField(name: string, value: string): Buffer {
  const text = Buffer.from(`${value}\0`);
  return Buffer.concat([Buffer.from(`\x02${name}\0`), int32(text.length), text]);
}

function document(...fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat([...fields, Buffer.alloc(1)]);
  return Buffer.concat([int32(body.length + 4), body]);
}

/** The command that sets the parameters. */
export function parametersMessage(): Buffer {
  const command = document(
    numberField('setParameter', 1),
    numberField('journalCommitInterval', JOURNAL_INTERVAL_MS),
    textField('$db', 'admin'),
  );
  const noFlags = int32(0);
  const oneDocument = Buffer.alloc(1);
  const body = Buffer.concat([noFlags, oneDocument, command]);
  const length = HEADER_BYTES + body.length;
  return Buffer.concat([int32(length), int32(1), int32(0), int32(OP_MSG), body]);
}
