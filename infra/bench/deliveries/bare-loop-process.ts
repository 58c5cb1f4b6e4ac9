/** The bare loop's process: the planned number of concurrent POSTs, each signed in both manners. */
import { createHmac, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { parseBarePlan } from './bare-loop.ts';

const { urls, inFlight, seconds, body } = parseBarePlan(await text(process.stdin));
const dispatcher = new Agent({ allowH2: false });
const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;

let posted = 0;
let answered = 0;

async function post(): Promise<void> {
  const id = `dlv_${posted}`;
  const url = urls[posted++ % urls.length] ?? '';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const service = createHmac('sha256', secret).update(body).digest('hex');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const answer = await request(url, {
    method: 'POST',
    body,
    dispatcher,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Recado-Webhooks/1.0',
      'X-Service-Event': 'task.created',
      'X-Service-Delivery': id,
      'X-Service-Signature': `sha256=${service}`,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${standard}`,
    },
  });
  await answer.body.dump();
  if (answer.statusCode === 200) answered++;
}

const startedAt = performance.now();
const endsAt = startedAt + seconds * 1000;

async function goOn(): Promise<void> {
  while (performance.now() < endsAt) await post();
}

await Promise.all(Array.from({ length: inFlight }, goOn));
process.stdout.write(JSON.stringify(answered / ((performance.now() - startedAt) / 1000)));
await dispatcher.close();
