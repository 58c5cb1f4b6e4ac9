// Restate's services: a conversation sends one message after the other, then tells the subscriber.
import * as restate from '@restatedev/restate-sdk';
import { configOrExit } from '../../config/process-config.ts';

const [port, subscriber, tokens] = process.argv.slice(2);
const { sandboxUrl } = configOrExit();
const accessTokens = JSON.parse(tokens);

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

const subscriptions = restate.service({
  name: 'Subscriptions',
  handlers: {
    tell: (ctx, event) => ctx.run('tell', async () => void (await post(subscriber, event))),
  },
});

const conversations = restate.object({
  name: 'Conversation',
  handlers: {
    send: async (ctx, { channelId, text }) => {
      const messageId = await ctx.run('send', async () => {
        const message = { messaging_product: 'whatsapp', to: `+${ctx.key}`, type: 'text' };
        const url = `${sandboxUrl}/v26.0/${channelId}/messages`;
        const authorization = `Bearer ${accessTokens[channelId]}`;
        const answer = await post(url, { ...message, text: { body: text } }, { authorization });
        return JSON.parse(answer).messages[0].id;
      });
      const data = { messageId, conversationId: ctx.key, phone: ctx.key, text, channelId };
      ctx.serviceSendClient(subscriptions).tell({ event: 'message.sent', data });
    },
  },
});

await restate.serve({ services: [conversations, subscriptions], port: Number(port) });
process.stdout.write('serving\n');
