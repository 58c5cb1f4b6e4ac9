/**
 * `NetworkDriver.check` against bare servers in the networks' places: for each step the answers
 * that make it fail, or that leave it unseen. Shapes after Meta's pages on permissions, webhook
 * overrides and subscriptions, and WAHA's `SessionConfig`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { checkOwnCall } from '../../../../../infra/adapters/network/check-webhook.ts';
import { createHttpCaller } from '../../../../../infra/adapters/network/http-caller.ts';
import { tellStep } from '../../../../../infra/programs/cli/organization/channel-step-sentences.ts';
import type { ChannelFinding } from '../../../../../shared/channel-check.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { ok, useBridge } from '../../../../support/stand-ins/bridge.ts';
import { withGraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { type Arrived, json, type Reply } from '../../../../support/stand-ins/server.ts';

const SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging'];
const HOUR_S = 3_600;

/** Meta's answers; each case changes some of them. */
interface Meta {
  readonly number?: Reply;
  readonly token?: Readonly<Record<string, unknown>>;
  readonly app?: Reply;
  readonly apps?: readonly string[] | null;
  readonly fields?: readonly string[];
  readonly callback?: string;
  readonly override?: Readonly<Record<string, string>>;
  readonly challenge?: Reply;
  readonly templates?: Reply;
}

const graphError = (code: number, status: number, more = {}) =>
  json({ error: { message: 'no', type: 'OAuthException', code, ...more } }, status);

const NO_OBJECT = graphError(100, 400, { error_subcode: 33 });

function answerOf(meta: Meta, request: Arrived, origin: string): Reply {
  const url = new URL(request.path, origin);
  const hook = `${origin}/hook`;
  switch (url.pathname) {
    case '/hook':
      return meta.challenge ?? { status: 200, body: url.searchParams.get('hub.challenge') ?? '' };
    case '/v26.0/debug_token':
      return json({ data: meta.token ?? { app_id: '77', expires_at: 0, scopes: SCOPES } });
    case '/v26.0/77/subscriptions': {
      assert.equal(request.headers.authorization, 'Bearer 77|app-secret');
      const fields = (meta.fields ?? ['messages']).map((name) => ({ name, version: 'v26.0' }));
      const callback_url = meta.callback ?? hook;
      const object = 'whatsapp_business_account';
      return meta.app ?? json({ data: [{ object, callback_url, active: true, fields }] });
    }
    case '/v26.0/88/message_templates':
      return meta.templates ?? json({ data: [{ name: 'oi', id: '1' }] });
    case '/v26.0/88/subscribed_apps': {
      if (meta.apps === null) return graphError(200, 403);
      const data = (meta.apps ?? ['77']).map((id) => ({ whatsapp_business_api_data: { id } }));
      return json({ data });
    }
    default: {
      const entities = [
        { entity_type: 'WABA', id: '88', can_send_message: 'AVAILABLE' },
        { entity_type: 'APP', id: '77', can_send_message: 'AVAILABLE' },
      ];
      const health_status = { can_send_message: 'AVAILABLE', entities };
      const webhook_configuration = meta.override ?? {};
      const shown = { status: 'CONNECTED', health_status, webhook_configuration };
      return meta.number ?? json({ ...shown, display_phone_number: '+55 11 4000-1000' });
    }
  }
}

async function findingsOf(meta: Meta, changes: Readonly<Record<string, string>> = {}) {
  const answer = (request: Arrived, origin: string) => answerOf(meta, request, origin);
  return withGraphApi(answer, async (driver, url) => {
    const hook = `${url}/hook`;
    const findings = (await driver.check?.(channelOf('cloud', changes), hook)) ?? [];
    return inWords(findings).map(({ detail, ...rest }) => {
      const worded = detail.replace(hook, 'the webhook').replace(url, 'the network');
      return { ...rest, detail: worded };
    });
  });
}

const checkCloud = async (...asked: Parameters<typeof findingsOf>) =>
  byStep(await findingsOf(...asked));

function inWords(findings: readonly ChannelFinding[]) {
  return findings.map(({ detail, remedy, ...rest }) => ({
    ...rest,
    detail: tellStep(detail),
    remedy: remedy && tellStep(remedy),
  }));
}

function byStep(findings: ReturnType<typeof inWords>) {
  return Object.fromEntries(findings.map(({ step, ok: is, detail }) => [step, [is, detail]]));
}

describe('cloud', () => {
  test('an account whose templates cannot be read is told, and the setting to add', async () => {
    const own = { businessAccountId: '88' };
    const said = async (meta: Meta, changes = own) =>
      String((await checkCloud(meta, changes)).templates);
    assert.match(await said({ templates: graphError(200, 403) }), /^false,.*may not .*code 200/);
    assert.match(await said({ templates: NO_OBJECT }), /^false,there is no account/);
    assert.match(await said({ templates: graphError(2, 503) }), /^,not read: code 2/);
    assert.match(await said({}, { businessAccountId: '89' }), /^false,.* is 89, .* is of 88/);
    assert.match(await said({ number: graphError(190, 401) }), /^,not looked at: see token/);
    assert.deepEqual((await findingsOf({})).at(-1), {
      step: 'templates',
      ok: null,
      detail:
        'businessAccountId is not set: the channel has no templates, and believes no update of its ' +
        'account',
      remedy: 'Set businessAccountId: "88" in the channel\'s network, and apply it.',
    });
  });

  const TEMPLATE_FIELDS = [
    'message_template_status_update',
    'message_template_quality_update',
    'message_template_components_update',
    'template_category_update',
  ];
  const OTHER_FIELDS = ['account_update', 'smb_message_echoes', 'user_preferences', 'calls'];
  const ALL_FIELDS = ['messages', ...OTHER_FIELDS, ...TEMPLATE_FIELDS];
  const LACKING = [...OTHER_FIELDS, ...TEMPLATE_FIELDS].join(', ');
  const OWING = {
    status: 'CONNECTED',
    health_status: {
      can_send_message: 'BLOCKED',
      entities: [
        { entity_type: 'WABA', can_send_message: 'BLOCKED', errors: [{ error_code: 141_006 }] },
      ],
    },
  };
  const POSTED = 'messages and receipts are posted here';

  test('all is well: eight steps, in words', async () => {
    assert.deepEqual(await checkCloud({ fields: ALL_FIELDS }, { businessAccountId: '88' }), {
      settings: [true, 'all four are set'],
      address: [true, 'the network answers'],
      token: [true, 'it is taken, does not expire, has both permissions'],
      number: [true, '+55 11 4000-1000 can send'],
      webhook: [true, 'the webhook answered our own call'],
      signature: [true, 'appSecret is the secret of app 77'],
      events: [true, POSTED],
      templates: [true, 'they can be read'],
    });
  });

  test('fields that are not subscribed are named, with where to subscribe them', async () => {
    const found = (await findingsOf({})).find(({ step }) => step === 'events');
    assert.deepEqual([found?.ok, found?.detail], [true, `${POSTED}; without ${LACKING}`]);
    assert.match(found?.remedy ?? '', /Webhook fields/);
  });

  const soon = Math.floor(Date.now() / 1_000) + HOUR_S;
  const far = soon + 60 * 24 * HOUR_S;
  const token = (expires_at: number, scopes = SCOPES) => ({ app_id: '77', expires_at, scopes });
  const LACKS = /^it lacks whatsapp_business_messaging$/;
  const OTHER = { phone_number: 'https://other.example/' };
  for (const [title, meta, step, is, said] of [
    ['no JSON', { number: { status: 404, body: '<html>' } }, 'address', false, /not as Meta's API/],
    [
      'a revoked token',
      { number: graphError(190, 401) },
      'token',
      false,
      /revoked, or has expired/,
    ],
    ['a token of no permission', { number: graphError(10, 403) }, 'token', false, /code 10/],
    ['a token of a day', { token: token(soon) }, 'token', false, /it expires at/],
    ['a token of 60 days', { token: token(far) }, 'token', true, /it expires at/],
    ['a token that may not send', { token: token(0, SCOPES.slice(0, 1)) }, 'token', false, LACKS],
    ['a token of which Meta tells nothing', { token: {} }, 'token', true, /tells no more/],
    ['no such number', { number: NO_OBJECT }, 'number', false, /none of this id/],
    ['a payment problem', { number: json(OWING) }, 'number', false, /owes Meta, only replies/],
    ['a banned number', { number: json({ status: 'BANNED' }) }, 'number', false, /banido/],
    ['a fault of Meta', { number: graphError(2, 503) }, 'number', null, /code 2/],
    ['a proxy in the way', { challenge: json({}, 502) }, 'webhook', false, /answered 502/],
    ['a page in the way', { challenge: { status: 200, body: 'hi' } }, 'webhook', false, /not as/],
    ['the secret of another app', { app: graphError(190, 400) }, 'signature', false, /not the sec/],
    ['an app that Meta hides', { app: graphError(200, 403) }, 'signature', null, /code 200/],
    ['a callback elsewhere', { callback: 'https://old.example/' }, 'events', false, /old\.example/],
    ['a callback of the number elsewhere', { override: OTHER }, 'events', false, /other\.example/],
    ['no messages', { fields: ['account_update'] }, 'events', false, /"messages" is not/],
    ['an app that never subscribed', { app: json({ data: [] }) }, 'events', false, /"messages"/],
    ['an account without the app', { apps: ['99'] }, 'events', false, /not subscribed to the Wh/],
    ['an account that Meta hides', { apps: null }, 'events', true, /posted here/],
  ] as const satisfies readonly Case[]) {
    test(`${title}: ${step}`, async () => {
      const findings = await checkCloud(meta);
      assert.deepEqual(findings[step]?.[0], is, JSON.stringify(findings));
      assert.match(String(findings[step]?.[1]), said);
    });
  }

  test('settings that are missing are named, and what needs them is not asked', async () => {
    const findings = await checkCloud({}, { accessToken: '', appSecret: '' });
    assert.deepEqual(findings.settings, [false, 'missing: accessToken, appSecret']);
    assert.deepEqual(findings.token, [null, 'not looked at: see settings']);
    assert.equal(findings.webhook?.[0], true, 'our own way is looked at all the same');
  });
});

type Case = readonly [
  title: string,
  meta: Meta,
  step: ChannelFinding['step'],
  ok: boolean | null,
  said: RegExp,
];

describe('web', () => {
  const bridge = useBridge('the suite');

  const EVENTS = ['message.any', 'message.ack', 'session.status'];
  const retries = { policy: 'exponential', delaySeconds: 2, attempts: 12 };

  async function checkWeb(change: object, session: object = {}, hookStatus = 200) {
    const url = `${bridge.url}/hook`;
    const hook = { url, events: EVENTS, hmac: { key: 'hook-secret' }, retries, ...change };
    bridge.answers = ({ path }) =>
      path === '/hook'
        ? { status: hookStatus, body: { data: { received: true } } }
        : ok({ name: 'shop', status: 'WORKING', config: { webhooks: [hook] }, ...session });
    return byStep(inWords((await bridge.driver.check?.(bridge.channel, url)) ?? []));
  }

  test('all is well: the session works, is signed, and posts here', async () => {
    const findings = await checkWeb({}, { me: { id: '551140001000@c.us' } });
    const are = Object.values(findings).map(([is]) => is);
    assert.deepEqual(are, Array(7).fill(true), JSON.stringify(findings));
    assert.deepEqual(findings.number, [true, 'the session works as +551140001000']);
    const [posted] = bridge.requests.filter(({ path }) => path === '/hook');
    assert.deepEqual(posted?.body, { event: 'recado.check', session: 'shop', payload: {} });
  });

  test('each fault of the session’s webhook is named', async () => {
    const elsewhere = await checkWeb({ url: 'https://old.example/' });
    assert.match(String(elsewhere.events), /^false,the session has no webhook to /);
    assert.equal(elsewhere.signature?.[0], null);
    const said = async (change: object, step: string) => String((await checkWeb(change))[step]);
    assert.match(await said({ hmac: null }, 'signature'), /^false,the webhook is not signed/);
    assert.match(await said({ hmac: { key: 'x' } }, 'signature'), /^false,hmac.key is another/);
    assert.match(await said({ hmac: { key: '***' } }, 'signature'), /^,the bridge does not show/);
    assert.match(await said({ events: ['message'] }, 'events'), /lacks message.ack, session.stat/);
    assert.match(await said({ events: ['*'] }, 'events'), /^true,.*posted here$/);
    assert.match(await said({ retries: null }, 'events'), /^false,retries are constant/);
    assert.match(String((await checkWeb({}, {}, 401)).webhook), /^false,.*answered 401/);
  });

  test('a refused key, an unknown session, a stopped one and a page that is no bridge', async () => {
    const answered = async (status: number, body: unknown, step: string) => {
      bridge.answers = () => ({ status, body });
      const findings = await bridge.driver.check?.(bridge.channel, `${bridge.url}/hook`);
      return String(byStep(inWords(findings ?? []))[step]);
    };
    assert.match(await answered(401, { message: 'Unauthorized' }, 'token'), /^false,.*\(401\)/);
    assert.match(await answered(404, { message: 'no' }, 'number'), /^false,.*no session "shop"/);
    assert.match(await answered(200, { status: 'STOPPED' }, 'number'), /^false,.*STOPPED/);
    assert.match(await answered(200, null, 'address'), /^false,.*not as a bridge/);
  });
});

test('a webhook that the network cannot reach is told without a call', async () => {
  const http = createHttpCaller(systemClock);
  const said = async (url: string, networkUrl: string) => {
    const call = { method: 'GET', url, headers: {} } as const;
    const { ok: is, detail } = await checkOwnCall({ http, call, networkUrl, isOurs: () => true });
    return `${is} ${tellStep(detail)}`;
  };
  try {
    const graph = 'https://157.240.1.1';
    assert.match(await said('http://127.0.0.1:1/n', graph), /^false .* is not https/);
    assert.match(await said('https://127.0.0.1:1/n', graph), /^false .*this machine only$/);
    assert.match(await said('https://10.1.2.3/n', graph), /^false .*an internal network$/);
    const bridge = 'http://10.1.2.4:3000';
    assert.match(await said('http://127.0.0.1:1/n', bridge), /^false .*this machine only$/);
    assert.match(await said('http://127.0.0.1:1/n', 'http://127.0.0.1:2'), /ECONNREFUSED/);
    assert.match(await said('http://name.invalid/n', 'http://127.0.0.1:2'), /did not answer/);
    assert.match(await said('http://127.0.0.1:1/n', ''), /^null/);
  } finally {
    await http.close();
  }
});
