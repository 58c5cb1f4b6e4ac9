/**
 * A machine whose clock is an hour ahead, without SMTP_URL. Its public address leads nowhere, and
 * its proxy sends no X-Forwarded-Proto. The tests check where each is reported
 * (docs/operations.md).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggedLines } from '../../../../../../infra/adapters/log/logged-lines.ts';
import { LOG_EVENT } from '../../../../../../shared/log-events.ts';
import { freshPhone } from '../../../../../support/api.ts';
import { startStack } from '../../../../../support/stack.ts';
import { useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';
import { doctorOf } from './doctor-of.ts';

const HOUR_AHEAD = 'const now = Date.now; Date.now = () => now() + 3_600_000;';
const PUBLIC_URL = 'https://127.0.0.1:2';

const SHIFT = `data:text/javascript,${encodeURIComponent(HOUR_AHEAD)}`;
const settings = { NODE_OPTIONS: `--import=${SHIFT}`, PUBLIC_URL, LOG_LEVEL: 'info' };
const stack = useStack(() => startStack({ settings }));
const { loja: org } = useOrganizations(stack, { loja: {} });

test('the log and doctor tell of the clock and the address; messages go', async () => {
  const body = { channelId: org.main, phone: freshPhone(), text: 'Olá' };
  await stack.messageIn(org.key, await stack.send(org.key, body), 'sent');
  const [line] = loggedLines(stack.dataDir, LOG_EVENT.clockApart, 'actors');
  assert.match(line?.msg ?? '', /: 3[56]\d{5} ms ahead$/);
  const doctor = await doctorOf(stack);
  assert.match(doctor.unwell('clocks'), /^\S+ is \d+ min apart from this clock$/);
  assert.equal(
    doctor.unwell('address'),
    `${PUBLIC_URL} cannot be reached: connect ECONNREFUSED 127.0.0.1:2.`,
  );
  assert.deepEqual(doctor.names, ['address', 'clocks']);
});

test('without X-Forwarded-Proto every address is PUBLIC_URL', async () => {
  const answer = await stack.request('GET', '/openapi.json');
  assert.match(answer.text, new RegExp(`"servers":\\[\\{"url":"${PUBLIC_URL}"`));
  const { main } = org.applied.channels;
  assert.equal(main?.networkWebhookUrl, `${PUBLIC_URL}/networks/cloud/${org.main}`);
  assert.ok(main?.inboundWebhookUrl.startsWith(`${PUBLIC_URL}/`));
});

test('without SMTP_URL the start tells where mails are', () => {
  assert.match(stack.story(), /^ +Mails +\S+\/mail \(no SMTP_URL\)$/m);
});
