/**
 * Faults outside of the service: a token, a secret, a certificate, a mail server. Each is told
 * within 15 s, and nothing is lost (docs/operations.md, Twenty ways to get it wrong).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type LoggedLine, loggedLines } from '../../../../../../infra/adapters/log/logged-lines.ts';
import { freePort } from '../../../../../../infra/programs/service/supervisor/ports.ts';
import { LOG_EVENT, type LogEvent } from '../../../../../../shared/log-events.ts';
import { assertStatus } from '../../../../../support/api/answers.ts';
import { assertRefused, freshPhone } from '../../../../../support/api.ts';
import { cloudPost, cloudText } from '../../../../../support/network.ts';
import {
  type Organization,
  organizationFile,
  organizations,
  secretsOf,
} from '../../../../../support/organization.ts';
import { type Stack, startStack } from '../../../../../support/stack.ts';
import { type Opened, opened } from '../../../../../support/stand-ins/server.ts';
import { type Subscriber, startSubscriber } from '../../../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { doctorOf } from './doctor-of.ts';

const CERTIFICATE = join(import.meta.dirname, 'expired.pem');
const MEMBERS = [{ ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' }];
const ZONE_OFFSET_MS = 3 * 3_600_000;

let stack: Stack;
let loja: Organization;
let rede: Organization;
let expired: Opened;
let subscriber: Subscriber;
let mail: { readonly SMTP_URL: string };

const subscription = (url: string) => ({ ref: 'crm', url, events: ['message.sent'] });

before(async () => {
  const pem = readFileSync(CERTIFICATE);
  const secure = createSecureServer({ cert: pem, key: pem }, (_, response) => response.end());
  expired = await opened(secure);
  subscriber = await startSubscriber();
  mail = { SMTP_URL: `smtp://127.0.0.1:${await freePort('127.0.0.1')}` };
  stack = await startStack({
    settings: {
      LOG_LEVEL: 'info',
      ...mail,
      // Trusted, so that nothing but its end is wrong with it.
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
    },
  });
  const subscriptions = [subscription(`https://127.0.0.1:${expired.port}/hook`)];
  const more = { members: MEMBERS };
  ({ loja, rede } = await organizations(stack, { loja: { subscriptions, more }, rede: {} }));
});

after(async () => {
  await stack?.stop();
  await subscriber?.close();
  await expired?.close();
});

const logged = (event: LogEvent) => loggedLines(stack.dataDir, event, 'actors');

test('an expired certificate of a subscriber: the attempts, the log and doctor say so', async () => {
  await stack.send(loja.key, { channelId: loja.main, phone: freshPhone(), text: 'Olá' });
  const expired = ({ outcome, error }: LoggedLine) =>
    outcome === 'tls' && error === 'certificate has expired';
  await waitUntil('the log tells of it', () => logged(LOG_EVENT.attempt).some(expired));
  const listed = JSON.stringify(await stack.ask('deliveries', 'list', '--org', 'loja'));
  assert.match(listed, /tls: certificate has expired/);
  const [deliveryId = ''] = /dlv_\w+/.exec(listed) ?? [];
  const found = (await doctorOf(stack)).unwell('subscribers');
  assert.equal(found, 'loja/crm: 1 delivery waits for a retry (tls: certificate has expired)');

  await stack.apply({ orgs: [{ ref: 'loja', subscriptions: [subscription(subscriber.url)] }] });
  await stack.ask('deliveries', 'retry', deliveryId);
  await subscriber.until('/', 1);
});

test('an expired token: the log and doctor say so at once, and the message waits', async () => {
  const { phoneNumberId } = secretsOf('rede');
  await stack.network.fault({ phoneNumberId, status: 401, code: 190 });
  const body = { channelId: rede.main, phone: freshPhone(), text: 'Olá' };
  const sent = await stack.send(rede.key, body);
  const refused = ({ messageId, cause }: LoggedLine) =>
    messageId === sent.messageId && /190/.test(String(cause));
  await waitUntil('the log tells of it', () => logged(LOG_EVENT.send).some(refused));
  const unwell = async () => {
    const found = await doctorOf(stack);
    return found.names.includes('networks') ? found.unwell('networks') : null;
  };
  const told = await waitUntil('doctor tells of it', unwell);
  assert.match(told, /rede\/main \(cloud\): .* It has failed for \d+ s and is still ready\.$/);

  await stack.network.forget();
  const [main] = organizationFile('rede').channels;
  const network = { ...main?.network, accessToken: 'a-new-token' };
  await stack.apply({ orgs: [{ ref: 'rede', channels: [{ ref: 'main', network }] }] });
  await stack.messageIn(rede.key, sent, 'read');
});

test('a webhook that comes hours late: the doctor names the channel', async () => {
  const at = Date.now() - 5 * 3_600_000;
  const late = { channelId: loja.main, from: freshPhone(), text: 'Oi', at };
  await stack.network.control('POST /inbound', late);
  const told = (await doctorOf(stack)).unwell('webhooks late');
  assert.match(told, /^main \(chn_\S+\): 1 messages came late and started no flow, .*, 5 h late$/);
});

test('a wrong secret: 401 to the network, the log and doctor name the setting', async () => {
  const from = freshPhone();
  const value = { messages: [cloudText(from, 'wamid.first-day', 'Oi')] };
  const post = (secret: string) => {
    const { body, headers } = cloudPost(secret, loja.phoneNumberId, value);
    return stack.request('POST', `/networks/cloud/${loja.main}`, { body, headers });
  };
  assertRefused(await post('another-secret'), 401);
  const named = ({ msg }: LoggedLine) => msg.endsWith(': appSecret does not fit');
  await waitUntil('the log tells of it', () => logged(LOG_EVENT.webhookRefused).some(named));
  const told = (await doctorOf(stack)).unwell('webhooks');
  assert.match(told, /^main \(chn_\S+\): 1 refused, the last \d+ s ago: appSecret does not fit$/);

  assert.equal((await post(loja.appSecret)).status, 200, 'the network tells it again');
  const [contact] = (await stack.conversations(loja.key)).data.filter(
    (each) => each.contact.phone === from,
  );
  assert.ok(contact, 'the message has come');
});

test('a mail server that is not there: the log and doctor say so, the reminder stays', async () => {
  const at = new Date(Date.now() - ZONE_OFFSET_MS - 60_000).toISOString();
  const body = {
    title: 'Ligar',
    assigneeId: loja.applied.members.ana,
    dueOn: at.slice(0, 10),
    dueTime: at.slice(11, 16),
  };
  assertStatus(await stack.call('POST', '/api/v1/tasks', { key: loja.key, body }), 201);
  const later = ({ outcome, reason }: LoggedLine) =>
    outcome === 'later' && /^\S* ?CONN connect ECONNREFUSED/.test(String(reason));
  await waitUntil('the log tells of it', () => logged(LOG_EVENT.reminder).some(later));
  const doctor = await doctorOf(stack, mail);
  assert.match(doctor.unwell('mail'), /^127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED/);
  doctor.well('webhooks');
  assert.match(doctor.well('reminders'), /late \(loja, after \d+ attempts\)$/);
});
