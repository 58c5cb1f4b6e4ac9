/**
 * Worker of the harder floor and of the limit: one journaled insert for all that waits, one answer
 * per message. The harder floor stores the request's three fields. The limit stores an entry as the
 * product does, among its indexes.
 */
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { ensureIndexes } from '../../adapters/mongo/indexes.ts';
import { packed } from '../../adapters/mongo/packing.ts';
import { natsAccess } from '../../adapters/nats/access.ts';
import { configOrExit } from '../../config/process-config.ts';
import { entryOf, type Sent } from './entry.ts';

const [mongodbUrl = '', name = 'harder'] = process.argv.slice(2);
const GROUP_MAX = 500;
const isLimit = name === 'limit';
const insert = isLimit ? 'entries' : 'messages';

interface Waiting {
  readonly n: number;
  readonly reply: string;
  readonly document: { readonly _id: string };
}

const client = await new MongoClient(mongodbUrl, { retryWrites: false }).connect();
const database = client.db(name);
if (isLimit) await ensureIndexes(database);
const connection = await connect(natsAccess(configOrExit().natsUrl ?? ''));
const waiting: Waiting[] = [];
const sequences = new Map<string, number>();
let writing = false;
let count = 0;

function documentOf(body: Pick<Sent, 'channelId' | 'phone' | 'text'>): { readonly _id: string } {
  const _id = `msg_${process.pid}_${count++}`;
  if (!isLimit) return { ...body, _id };
  const seq = (sequences.get(body.phone) ?? 0) + 1;
  sequences.set(body.phone, seq);
  return packed('entries', entryOf({ ...body, seq, at: Date.now() }));
}

/** By the plain command, as the product does: `insertMany` measures each document first. */
async function drain(): Promise<void> {
  while (waiting.length > 0) {
    const group = waiting.splice(0, GROUP_MAX);
    const documents = group.map(({ document }) => document);
    const writeConcern = { w: 1, j: true };
    await database.command({ insert, documents, ordered: false, writeConcern });
    for (const [reply, answered] of Map.groupBy(group, (each) => each.reply)) {
      const answers = answered.map(({ n, document }) => ({ n, messageId: document._id }));
      connection.publish(reply, JSON.stringify(answers));
    }
  }
  writing = false;
}

connection.subscribe(name, {
  callback: (_, message) => {
    for (const { n, body } of message.json<{ n: number; body: Sent }[]>()) {
      waiting.push({ n, reply: message.reply ?? '', document: documentOf(body) });
    }
    if (writing) return;
    writing = true;
    setImmediate(() => void drain());
  },
});
process.stdout.write('working\n');
