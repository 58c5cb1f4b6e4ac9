// The peer's worker: contact, conversation and message, one write each, then an event. With a
// subscriber's address it also sends the messages and tells the subscriber.
import { createHash, randomUUID } from 'node:crypto';
import { Errors, ServiceBroker } from 'moleculer';
import { brokerOptions, openDatabase } from './configuration.mjs';
import { senders } from './senders.mjs';

const [mongodbUrl, token, subscriber, numbers = '{"ch_peer":null}'] = process.argv.slice(2);
const ORG = 'org_peer';

const database = await openDatabase(mongodbUrl);
const [contacts, conversations, messages] = ['contacts', 'conversations', 'messages'].map((name) =>
  database.collection(name),
);
await contacts.createIndex({ orgId: 1, phone: 1 }, { unique: true });
await conversations.createIndex({ channelId: 1, contactId: 1 }, { unique: true });
await conversations.createIndex({ orgId: 1, lastMessageAt: -1 });
await messages.createIndex({ conversationId: 1, createdAt: -1 });
const digest = createHash('sha256').update(token).digest('hex');
const upsert = { upsert: true };
const key = { $set: { orgId: ORG, revokedAt: null } };
await database.collection('keys').updateOne({ digest }, key, upsert);
for (const [_id, accessToken] of Object.entries(JSON.parse(numbers))) {
  const channel = { $set: { orgId: ORG, enabled: true, accessToken } };
  await database.collection('channels').updateOne({ _id }, channel, upsert);
}

const broker = new ServiceBroker({
  ...brokerOptions('peer-worker'),
  cacher: 'Memory',
});

broker.createService({
  name: 'channels',
  actions: {
    get: {
      cache: { keys: ['id'], ttl: 60 },
      handler: (context) => database.collection('channels').findOne({ _id: context.params.id }),
    },
  },
});

async function contactOf(orgId, phone, now) {
  return await contacts.findOneAndUpdate(
    { orgId, phone },
    { $setOnInsert: { _id: randomUUID(), createdAt: now }, $set: { updatedAt: now } },
    { upsert: true, returnDocument: 'after' },
  );
}

async function conversationOf({ orgId, channelId, contactId, text, now }) {
  return await conversations.findOneAndUpdate(
    { channelId, contactId },
    {
      $setOnInsert: { _id: randomUUID(), orgId, status: 'open', createdAt: now },
      $set: { lastMessageAt: now, lastMessagePreview: text.slice(0, 120) },
      $inc: { messages: 1 },
    },
    { upsert: true, returnDocument: 'after' },
  );
}

broker.createService({
  name: 'messages',
  actions: {
    send: {
      params: {
        channelId: { type: 'string', max: 64 },
        phone: { type: 'string', pattern: /^\+?[\d ()-]{8,24}$/ },
        text: { type: 'string', min: 1, max: 4096 },
      },
      async handler(context) {
        const { channelId, text } = context.params;
        const { orgId } = context.meta;
        const channel = await context.call('channels.get', { id: channelId });
        if (channel?.orgId !== orgId) throw new Errors.MoleculerClientError('no channel', 404);
        const phone = context.params.phone.replace(/[^\d+]/g, '');
        const now = new Date();
        const contact = await contactOf(orgId, phone, now);
        const about = { orgId, channelId, contactId: contact._id, text, now };
        const conversation = await conversationOf(about);
        const message = {
          _id: randomUUID(),
          orgId,
          channelId,
          phone,
          conversationId: conversation._id,
          direction: 'out',
          status: 'queued',
          text,
          createdAt: now,
        };
        await messages.insertOne(message);
        context.emit('message.created', message);
        context.meta.$statusCode = 201;
        context.meta.$location = `/api/v1/messages/${message._id}`;
        return { data: { messageId: message._id, conversationId: conversation._id } };
      },
    },
  },
});

let created = 0;
const counter = {
  name: 'counter',
  events: {
    'message.created': () => {
      created += 1;
    },
  },
};
broker.createService(subscriber === undefined ? counter : senders({ database, subscriber }));

await broker.start();
if (subscriber === undefined) {
  process.on('exit', () => process.stderr.write(`peer: ${created} events\n`));
}
process.stdout.write('working\n');
