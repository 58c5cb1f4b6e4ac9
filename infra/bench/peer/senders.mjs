// The peer's senders: each conversation is a chain of promises, and an event tells the subscriber.
import { configOrExit } from '../../config/process-config.ts';

async function post(url, body, headers = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return text;
}

/** Sends what is created, and at the start what an earlier process left. */
export function senders({ database, subscriber }) {
  const { sandboxUrl } = configOrExit();
  const messages = database.collection('messages');
  const chains = new Map();

  async function send(broker, message) {
    const { channelId, phone, text } = message;
    const { accessToken } = await broker.call('channels.get', { id: channelId });
    const body = { messaging_product: 'whatsapp', to: phone, type: 'text', text: { body: text } };
    const authorization = `Bearer ${accessToken}`;
    await post(`${sandboxUrl}/v26.0/${channelId}/messages`, body, { authorization });
    await messages.updateOne({ _id: message._id }, { $set: { status: 'sent' } });
    broker.emit('message.sent', message);
  }

  function enqueue(broker, message) {
    const { conversationId } = message;
    const before = chains.get(conversationId) ?? Promise.resolve();
    const sending = before
      .then(() => send(broker, message))
      .catch((error) => broker.logger.error(error))
      .then(() => {
        if (chains.get(conversationId) === sending) chains.delete(conversationId);
      });
    chains.set(conversationId, sending);
  }

  return {
    name: 'senders',
    dependencies: ['channels'],
    events: {
      'message.created'(context) {
        enqueue(this.broker, context.params);
      },
      'message.sent'({ params: { _id, conversationId, phone, text, channelId } }) {
        const data = { messageId: _id, conversationId, phone, text, channelId };
        return post(subscriber, { event: 'message.sent', data });
      },
    },
    async started() {
      const left = messages.find({ status: 'queued' }).sort({ createdAt: 1 });
      for await (const message of left) enqueue(this.broker, message);
    },
  };
}
