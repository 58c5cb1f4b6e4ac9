/**
 * Counts the asks of organizations on the bus, by command: what each process sends to the mailbox,
 * and in how many NATS messages. Admissions by an owner are answered beside its turns, so that the
 * metric of turns has none of them.
 */
import { connect } from 'nats';
import * as v from 'valibot';
import { SHELVES } from '../../../shared/limits.ts';
import { processSubject, shelfSubject } from '../../../shared/wire/subjects.ts';
import { natsAccess } from '../../adapters/nats/access.ts';
import { Unpacker } from '../../adapters/nats/envelope.ts';

const KIND = 'organization';
/** Rows beside the commands: the messages that hold them, and the asks of all actors. */
export const ENVELOPES = 'in NATS messages';
export const EVERY_KIND = 'of every kind of actor';
const AsksSchema = v.array(v.object({ kind: v.string(), command: v.unknown() }));
const CommandSchema = v.object({ type: v.string() });
/** Queries come to a process by the same subject. */
const QUERY = '';

export interface AskCounter {
  /** Since it was last taken: by command, and the rows beside them. */
  take(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/**
 * Only while every partition has an owner: with a listener the server has no "no responders" to
 * tell, for which askers repeat at once.
 */
export async function countAsks(natsUrl: string): Promise<AskCounter> {
  const connection = await connect(natsAccess(natsUrl));
  const unpacker = new Unpacker();
  let counts = new Map<string, number>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const read = (envelope: unknown): void => {
    const asks = v.parse(AsksSchema, envelope ?? []).filter(({ kind }) => kind !== QUERY);
    for (const _ of asks) add(EVERY_KIND);
    const own = asks.filter(({ kind }) => kind === KIND);
    for (const { command } of own) add(v.parse(CommandSchema, command).type);
    if (own.length > 0) add(ENVELOPES);
  };
  const partitions = Array.from({ length: SHELVES }, (_, shelf) =>
    shelfSubject('ask', KIND, shelf),
  );
  for (const subject of [...partitions, processSubject('*')]) {
    connection.subscribe(subject, {
      callback: (error, { data, reply }) => {
        if (!error) read(unpacker.unpack(data, reply ?? ''));
      },
    });
  }
  await connection.flush();
  return {
    async take() {
      // The server answers behind all that it has for this connection.
      await connection.flush();
      const taken = counts;
      counts = new Map();
      return taken;
    },
    close: () => connection.close(),
  };
}
