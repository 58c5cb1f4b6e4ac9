/**
 * No packet goes inwards for a subscription or a step `http` either (I10), with the address guard
 * as in production; for a step `http` not under `npm start` either. The same for `mediaUrl` is in `tests/service/infra/adapters/media/internal-urls.test.ts`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../../support/api/answers.ts';
import { freshPhone } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import {
  INTERNAL_SPELLINGS,
  LOOPBACK_SPELLINGS,
  UNSPECIFIED_SPELLINGS,
} from '../../support/infra/adapters/outbound/internal-spellings.ts';
import { organizationFile } from '../../support/organization.ts';
import { startStack } from '../../support/stack.ts';
import { useOrganizations, useStack, useUntil } from '../../support/stack-hooks.ts';
import { listenEverywhere } from '../../support/stand-ins/everywhere.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { useFiles } from '../infra/adapters/media/media-fixture.ts';

const FORMS_MIN = 60;
const ANSWERED = 'respondeu';
const UNANSWERED = 'sem resposta';

const CALL = {
  ref: 'call',
  name: 'Chamada',
  enabled: true,
  channel: null,
  isMain: false,
  triggers: [],
  steps: [
    {
      id: 'call',
      do: 'http',
      url: '{{contact.fields.url}}',
      body: '{}',
      next: 'yes',
      onError: 'no',
    },
    { id: 'yes', do: 'send', text: ANSWERED, next: 'end' },
    { id: 'no', do: 'send', text: UNANSWERED, next: 'end' },
    { id: 'end', do: 'end' },
  ],
};

/** An internal service that is not allowed, at every address of this machine. */

const internal = useUntil(listenEverywhere, ({ close }) => close());
const allowed = useFiles();
/** Whatever subscribers may be: calls of flows are not theirs. */
const toLoopback = (admitted: boolean) =>
  startStack({
    settings: {
      EVENTS_TO_LOOPBACK: `${admitted}`,
      PRIVATE_NETWORK_ALLOW: `127.0.0.1:${allowed.port}`,
    },
  });
const closed = useStack(() => toLoopback(false));
const stack = useStack(() => toLoopback(true));
const { a } = useOrganizations(stack, { a: { more: { flows: [CALL] } } });

/** Where there is a listener with its port, elsewhere without. */
function inwardUrls(): string[] {
  const here = [...LOOPBACK_SPELLINGS, ...UNSPECIFIED_SPELLINGS, 'localhost', ...internal.hosts];
  return [
    ...here.map((host) => `http://${host}:${internal.port}/hook`),
    ...INTERNAL_SPELLINGS.map((host) => `http://${host}/hook`),
  ];
}

/** The text that the contact received from a flow that called `url`. */
async function toldAfter(url: string): Promise<string> {
  const phone = freshPhone();
  const { key, main: channelId } = a;
  const answer = await stack.call('POST', '/api/v1/contacts', {
    key,
    body: { phone, fields: { url } },
  });
  assertStatus(answer, 201);
  const path = `/api/v1/flows/${named(a.applied.flows, 'call')}/start`;
  assertStatus(await stack.call('POST', path, { key, body: { channelId, phone } }), 201);
  const [message] = await waitUntil(`the flow went on after ${url}`, async () => {
    const sent = await stack.network.sent(phone);
    return sent.length > 0 ? sent : null;
  });
  return message?.text ?? '';
}

describe('calls that lead inwards', () => {
  test('a subscription in any spelling is refused with its path, and nothing is stored', async () => {
    const urls = inwardUrls();
    assert.ok(urls.length >= FORMS_MIN, `${urls.length} forms`);
    const subscriptions = urls.map((url, index) => ({ ref: `s${index}`, url, events: ['*'] }));
    const file = { orgs: [organizationFile('refused', { subscriptions })] };
    const ran = await closed.recado(['apply', '-'], JSON.stringify(file));
    assert.equal(ran.code, 2, ran.stderr);
    const missed = urls.filter((_, index) => !ran.stderr.includes(`subscriptions.${index}.url`));
    assert.deepEqual(missed, [], ran.stderr.slice(0, 2_000));
    assert.ok(!(await closed.recado(['orgs', 'list'])).stdout.includes('Loja refused'));
    assert.deepEqual(internal.connected, []);
  });

  test('a step http in any spelling takes the way of a failure, and nobody sees it', async (t) => {
    const urls = inwardUrls();
    const told = await Promise.all(urls.map(toldAfter));
    const answered = urls.filter((_, index) => told[index] !== UNANSWERED);
    assert.deepEqual(answered, []);
    assert.deepEqual(internal.connected, []);
    t.diagnostic(`${urls.length} forms`);
  });

  test('a step http follows no redirect, and goes where it is allowed to', async () => {
    const inwards = allowed.redirect('/inwards', `http://127.0.0.1:${internal.port}/`, 307);
    assert.equal(await toldAfter(inwards), UNANSWERED);
    assert.deepEqual(internal.connected, []);
    allowed.file('/good', Buffer.from('{}'), { 'content-type': 'application/json' });
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '0177.0.0.1']) {
      assert.equal(await toldAfter(`http://${host}:${allowed.port}/good`), ANSWERED, host);
    }
  });
});
