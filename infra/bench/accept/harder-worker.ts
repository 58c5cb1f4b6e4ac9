/** The harder floor's worker: one journaled insert for all that waits, one answer per message. */
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { natsAccess } from '../../adapters/nats/access.ts';
import { configOrExit } from '../../config/process-config.ts';

const [mongodbUrl = ''] = process.argv.slice(2);
const GROUP_MAX = 500;

interface Waiting {
  readonly n: number;
  readonly reply: string;
  readonly document: { readonly _id: string };
}

const client = await new MongoClient(mongodbUrl, { retryWrites: false }).connect();
const collection = client.db('harder').collection<{ _id: string }>('messages');
const connection = await connect(natsAccess(configOrExit().natsUrl ?? ''));
const waiting: Waiting[] = [];
let writing = false;
let count = 0;

async function drain(): Promise<void> {
  while (waiting.length > 0) {
    const group = waiting.splice(0, GROUP_MAX);
    await collection.insertMany(
      group.map(({ document }) => document),
      { ordered: false, writeConcern: { w: 1, journal: true } },
    );
    for (const [reply, answered] of Map.groupBy(group, (each) => each.reply)) {
      const answers = answered.map(({ n, document }) => ({ n, messageId: document._id }));
      connection.publish(reply, JSON.stringify(answers));
    }
  }
  writing = false;
}

connection.subscribe('harder', {
  callback: (_, message) => {
    for (const { n, body } of message.json<{ n: number; body: object }[]>()) {
      const document = { ...body, _id: `msg_${process.pid}_${count++}` };
      waiting.push({ n, reply: message.reply ?? '', document });
    }
    if (writing) return;
    writing = true;
    setImmediate(() => void drain());
  },
});
process.stdout.write('working\n');
