/** The floor's worker: group-commits one journaled insert per request and answers. */
import { MongoClient } from 'mongodb';
import { connect, type Msg } from 'nats';
import { natsAccess } from '../../adapters/nats/access.ts';
import { configOrExit } from '../../config/process-config.ts';

const [mongodbUrl = ''] = process.argv.slice(2);
const GROUP_MAX = 500;

const client = await new MongoClient(mongodbUrl, { retryWrites: false }).connect();
const collection = client.db('floor').collection<{ _id: string }>('messages');
const connection = await connect(natsAccess(configOrExit().natsUrl ?? ''));
const waiting: { readonly document: { _id: string }; readonly message: Msg }[] = [];
let writing = false;
let count = 0;

async function drain(): Promise<void> {
  while (waiting.length > 0) {
    const group = waiting.splice(0, GROUP_MAX);
    await collection.insertMany(
      group.map(({ document }) => document),
      { ordered: false, writeConcern: { w: 1, journal: true } },
    );
    for (const { document, message } of group) {
      message.respond(JSON.stringify({ data: { messageId: document._id } }));
    }
  }
  writing = false;
}

connection.subscribe('floor', {
  callback: (_, message) => {
    const _id = `msg_${process.pid}_${count++}`;
    waiting.push({ document: { ...message.json<object>(), _id }, message });
    if (writing) return;
    writing = true;
    setImmediate(() => void drain());
  },
});
process.stdout.write('working\n');
