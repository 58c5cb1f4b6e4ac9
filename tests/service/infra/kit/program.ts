/** Programs of an integrator's, written beside the installed package and compiled with it. */

/** Prints one JSON object; wants BASE_URL, API_KEY, CHANNEL_ID, PHONE and OTHER_PHONE. */
export const PROGRAM = `
import { createClient, RecadoError } from 'recado-client';
import type { Contact, StreamEvent } from 'recado-client';

declare const process: { env: Record<string, string | undefined> };
declare const console: { log(text: string): void };
const { BASE_URL = '', API_KEY = '', CHANNEL_ID = '', PHONE = '', OTHER_PHONE = '' } = process.env;

const client = createClient({ baseUrl: BASE_URL, key: API_KEY });

const me = await client.me.get();
const { data: channels } = await client.channels.list();
const { data: contact, created } = await client.contacts.upsert({ phone: PHONE, tags: ['lista'] });
await client.contacts.upsert({ phone: OTHER_PHONE, tags: ['lista'] });
const stream = client.events({ name: 'programa', events: ['message.sent', 'deal.won'] });
const first = stream.next();
// A stream begins with its first connection.
await until(async () => {
  await client.events.acknowledge({ name: 'programa', id: 'dlv_none' });
});

const message = { channelId: CHANNEL_ID, phone: PHONE, text: 'Olá!' };
const once = { idempotencyKey: 'um-envio' };
const { data: sent } = await client.messages.send(message, once);
const { data: again } = await client.messages.send(message, once);

// A list follows what it lists by some milliseconds.
while ((await client.contacts.list({ limit: 1 })).total < 2);
const all: Contact[] = [];
for await (const each of client.contacts.all({ limit: 1 })) all.push(each);

const { data: deal } = await client.deals.create({ contactId: contact.id, title: 'Plano' });
const won = await client.deals.change(deal.id, { status: 'won' });
const closed = await errorOf(client.deals.change(deal.id, { status: 'won' }));
const refused = await errorOf(client.contacts.upsert({ phone: 'abc' }));
const inbound = await client.inbound.receive(CHANNEL_ID, { phone: PHONE });
const bytes = new TextEncoder().encode('oi');
const { data: file } = await client.files.add({ bytes, name: 'preços.txt' });
const { data: files } = await client.files.list({ limit: 10 });
const { data: gone } = await client.files.remove(file.id, {});
const ready = await client.service.readiness();

const events: StreamEvent[] = [];
const { value } = await first;
if (value) events.push(value);
for await (const event of stream) {
  events.push(event);
  if (events.length === 2) await stream.close();
}

function textOf(event: StreamEvent): string | null {
  return event.event === 'message.sent' ? event.data.text : null;
}

function titleOf(event: StreamEvent): string | null {
  return event.event === 'deal.won' ? event.data.deal.title : null;
}

async function errorOf(call: Promise<unknown>): Promise<RecadoError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RecadoError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

async function until(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RecadoError) || error.status !== 404) throw error;
    }
  }
}

console.log(
  JSON.stringify({
    scope: me.data.scope,
    channels: channels.map(({ id }) => id),
    created,
    same: again.messageId === sent.messageId,
    paged: all.map(({ phone }) => phone).sort(),
    won: won.data.status,
    closed: closed.status,
    issues: refused.issues.map(({ path }) => path),
    inbound: inbound.data.created,
    files: [...files.map(({ name, mimeType }) => name + ' ' + mimeType), gone.removed],
    ready: ready.data.ready,
    texts: events.map(textOf),
    titles: events.map(titleOf),
  }),
);
`;

/** Wrong uses, one a line: a strict compiler refuses each. */
export const MISUSES = `
import { createClient, RecadoError } from 'recado-client';
const client = createClient({ baseUrl: '', key: '' });
// @ts-expect-error
client.contacts.upsert({});
// @ts-expect-error
client.contacts.upsert({ phone: '1', nome: '' });
// @ts-expect-error
client.files.add({ name: 'a.txt' });
// @ts-expect-error
client.messages.list();
// @ts-expect-error
client.events({ events: ['message.lost'] });
// @ts-expect-error
new RecadoError(404);
// @ts-expect-error
client.deals.list({ status: 'gone' });
`;
