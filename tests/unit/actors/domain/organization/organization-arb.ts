/** Organizations as a provisioning file may have them, with everything that its schema knows. */
import fc from 'fast-check';
import { withoutControl } from '../../../../../shared/text/control-characters.ts';

/** Begins every secret and token. */
export const SECRET = 'SECRET-';

const LETTERS = ['a', 'Ç', '😀', ' ', '\n', ':', '#', '"', "'", '-', '|', '>', '!', '&', '*', '7'];
/** No braces: a text is a template. */
const textArb = fc
  .tuple(
    fc.constantFrom('x', 'true', '007', 'null', '- a', '~', '1e3'),
    fc.string({
      unit: fc.constantFrom(...LETTERS),
      maxLength: 100,
    }),
  )
  .map(([begin, rest]) => `${begin}${rest}`);
const nameArb = textArb.map((text) => withoutControl(text.slice(0, 20)));

const secretArb = fc
  .string({ unit: fc.constantFrom('a', 'b', '0'), minLength: 20, maxLength: 40 })
  .map((text) => `${SECRET}${text}`);

const paceArb = fc.record(
  {
    perSecond: fc.constantFrom(0.1, 1, 80, 1.5),
    pairBurst: fc.integer({ min: 1, max: 1_000_000 }),
    pairEvery: fc.constantFrom('6s', '1.5d', '0ms', '250ms', '0.001s', '999999999ms'),
  },
  { requiredKeys: [] },
);

/** Numbers and sessions that YAML could take for something else; no two channels have the same. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  main: ['1001', '0xF', '1e5'],
  shop: ['1002', '0b1', '2e5'],
  '3rd': ['1003', '0o7', '3e5'],
};
const SESSIONS: Readonly<Record<string, readonly string[]>> = {
  main: ['shop', '12', 'no'],
  shop: ['loja', '13', 'yes'],
  '3rd': ['third', '14', 'null'],
};

const cloudArb = (ref: string) =>
  fc.record(
    {
      baseUrl: fc.constantFrom('sandbox', 'https://graph.example.com'),
      apiVersion: fc.constant('v26.0'),
      phoneNumberId: fc.constantFrom(...(NUMBERS[ref] ?? [])),
      businessAccountId: fc.constantFrom('2001', 'waba-2'),
      accessToken: secretArb,
      appSecret: secretArb,
      verifyToken: secretArb,
      pace: paceArb,
    },
    { requiredKeys: ['phoneNumberId', 'accessToken', 'appSecret', 'verifyToken'] },
  );

const webArb = (ref: string) =>
  fc.record(
    {
      baseUrl: fc.constantFrom('sandbox', 'http://bridge.example:3000'),
      session: fc.constantFrom(...(SESSIONS[ref] ?? [])),
      apiKey: secretArb,
      webhookSecret: secretArb,
      pace: paceArb,
    },
    { requiredKeys: ['baseUrl', 'session', 'apiKey', 'webhookSecret'] },
  );

const PHONES = ['+55 11 4000-1000', '11 98765-4321', '+1 650 253 0000', '+351 912 345 678'];

function channelArb(ref: string) {
  const common = {
    ref: fc.constant(ref),
    label: nameArb,
    phone: fc.constantFrom(...PHONES),
    enabled: fc.boolean(),
  };
  const requiredKeys = ['ref', 'label', 'provider', 'phone', 'network'] as const;
  return fc.oneof(
    fc.record(
      { ...common, provider: fc.constant('cloud'), network: cloudArb(ref) },
      { requiredKeys: [...requiredKeys] },
    ),
    fc.record(
      { ...common, provider: fc.constant('web'), network: webArb(ref) },
      { requiredKeys: [...requiredKeys] },
    ),
  );
}

/** Every kind of step, with every property; `text` is written in each place for text. */
function stepsWith(text: string): readonly object[] {
  return [...talkWith(text), ...workWith(text)];
}

function talkWith(text: string): readonly object[] {
  return [
    { id: 'send', do: 'send', text, file: 'logo', next: 'wait' },
    {
      ...{ id: 'wait', do: 'wait', timeout: '1h', saveAs: 'answer', debounce: '3s' },
      ...{ next: 'choose', onTimeout: 'delay' },
    },
    {
      ...{ id: 'choose', do: 'choose', else: 'delay' },
      cases: [
        { when: { answer: 'answer', equals: text }, next: 'delay' },
        { when: { field: 'plano', in: [text, 'x'] }, next: 'until' },
        { when: { answer: 'order.status', contains: text }, next: 'set' },
        { when: { field: 'plano', starts: text }, next: 'set' },
        { when: { answer: 'answer', exists: true }, next: 'set' },
        { when: { answer: 'answer', above: 1.5 }, next: 'set' },
        { when: { answer: 'answer', below: -2 }, next: 'set' },
        {
          when: {
            all: [
              { tag: 'vip' },
              { any: [{ optIn: true }, { hours: '09:00-18:00' }] },
              { not: { weekday: ['mon', 'sun'] } },
            ],
          },
          next: 'set',
        },
      ],
    },
    { id: 'delay', do: 'delay', for: '2h', next: 'until' },
    { id: 'until', do: 'delay', until: '09:00', weekdays: ['mon', 'fri'], next: 'set' },
    { id: 'set', do: 'set', fields: { plano: text, '<<': text }, next: 'tag' },
  ];
}

function workWith(text: string): readonly object[] {
  return [
    { id: 'tag', do: 'tag', tags: ['vip'], next: 'untag' },
    { id: 'untag', do: 'untag', tags: ['vip'], next: 'opt' },
    { id: 'opt', do: 'opt', optIn: true, next: 'assign' },
    { id: 'assign', do: 'assign', member: 'ana', next: 'unassign' },
    { id: 'unassign', do: 'assign', member: null, next: 'deal' },
    {
      ...{ id: 'deal', do: 'deal', action: 'create', title: text, valueCents: 100 },
      ...{ stage: 'Proposta', next: 'move' },
    },
    { id: 'move', do: 'deal', action: 'move', stage: 'Novo', next: 'close' },
    {
      ...{ id: 'close', do: 'deal', action: 'close', status: 'lost', lostReason: 'x' },
      next: 'task',
    },
    {
      ...{ id: 'task', do: 'task', title: text, notes: text, assignee: 'ana' },
      ...{ dueInDays: 1, dueTime: '09:00', next: 'http' },
    },
    {
      ...{ id: 'http', do: 'http', method: 'POST', url: 'https://api.example.com', body: text },
      headers: { Accept: 'application/json' },
      ...{ saveAs: 'order', next: 'ask', onError: 'handoff' },
    },
    { id: 'ask', do: 'wait', next: 'route' },
    {
      ...{ id: 'route', do: 'choose', else: 'end' },
      cases: [
        { when: { answer: 'answer', exists: true }, next: 'start' },
        { when: { answer: 'answer', exists: false }, next: 'handoff' },
      ],
    },
    { id: 'start', do: 'start', flow: 'short' },
    { id: 'handoff', do: 'handoff', member: 'ana', note: text, pause: '2h' },
    { id: 'end', do: 'end', status: 'resolved' },
  ];
}

const triggersArb = fc.subarray([
  { on: 'tag', tag: 'vip' },
  { on: 'keyword', keyword: 'Oi: "não"' },
  { on: 'keyword', keyword: '#1', match: 'contains' },
  { on: 'first-message' },
]);

function flowArb(ref: string, channels: readonly string[]) {
  return fc.record(
    {
      ref: fc.constant(ref),
      name: nameArb,
      enabled: fc.boolean(),
      channel: fc.constantFrom(null, ...channels),
      isMain: fc.boolean(),
      triggers: triggersArb,
      steps: textArb.map(stepsWith),
    },
    { requiredKeys: ['ref', 'name', 'steps'] },
  );
}

const CHANNELS = ['main', 'shop', '3rd'] as const;
const MEMBERS = [
  { ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' },
  { ref: '007', name: 'true' },
];
const SHORT = { ref: 'short', name: 'Curto', steps: [{ id: 'end', do: 'end' }] };
const LOGO = {
  ...{ ref: 'logo', name: 'logo: 1.png', mimeType: 'image/png' },
  ...{ contentDigest: 'ab'.repeat(32), sizeBytes: 12 },
};

function keyArb(ref: string) {
  const token = secretArb.map((text) => `${text}-of-${ref}`);
  const terms = {
    access: fc.constantFrom('read', 'send', 'full'),
    expiresAt: fc.constantFrom(null, '2030-01-31T23:59:59Z', '2020-01-31T23:59:59.5-03:00'),
    assistant: fc.boolean(),
  };
  const head = { ref: fc.constant(ref), name: nameArb, scope: fc.constant('account') };
  const account = { ...head, token, ...terms };
  const ofChannel = { scope: fc.constant('channel'), channel: fc.constantFrom(...CHANNELS) };
  return fc.oneof(
    fc.record(account, { requiredKeys: ['ref', 'name', 'scope'] }),
    fc.record({ ...account, ...ofChannel }, { requiredKeys: ['ref', 'name', 'scope', 'channel'] }),
  );
}

function subscriptionArb(ref: string) {
  return fc.record(
    {
      ref: fc.constant(ref),
      url: fc.constantFrom('https://crm.example.com/hook?a=1#x', 'https://b.example.com'),
      events: fc.constantFrom(['*'], ['deal.won', 'message.read'], ['deal.won', 'deal.won']),
      secret: secretArb,
      enabled: fc.boolean(),
    },
    { requiredKeys: ['ref', 'url'] },
  );
}

const limitArb = fc.constantFrom(null, 1, 1_000_000_000);

export const organizationArb = fc.record(
  {
    ref: fc.constantFrom('loja', '0123', 'null', '1e3'),
    name: nameArb,
    timeZone: fc.constantFrom('UTC', 'America/Sao_Paulo'),
    country: fc.constantFrom('BR', 'US', 'NO'),
    limits: fc.record({ perKey: limitArb, perOrg: limitArb }, { requiredKeys: [] }),
    members: fc.constant(MEMBERS),
    tags: fc.constant(['vip']),
    channels: fc.tuple(...CHANNELS.map(channelArb)),
    keys: fc.tuple(keyArb('erp'), keyArb('shop-key')),
    flows: fc.tuple(flowArb('welcome', CHANNELS), fc.constant(SHORT)),
    files: fc.constant([LOGO]),
    subscriptions: fc.tuple(subscriptionArb('crm'), subscriptionArb('bi')),
  },
  {
    requiredKeys: [
      ...(['ref', 'name', 'members', 'tags', 'channels', 'keys', 'flows', 'files'] as const),
      'subscriptions',
    ],
  },
);

/** One with every property. */
export const FULL = {
  ...{ ref: 'loja', name: 'Loja', timeZone: 'America/Sao_Paulo', country: 'BR' },
  limits: { perKey: 120, perOrg: 600 },
  members: MEMBERS,
  channels: [
    {
      ...{ ref: 'main', label: 'Atendimento', provider: 'cloud', phone: '+55 11 4000-1000' },
      enabled: true,
      network: { phoneNumberId: '1', accessToken: 'a', appSecret: 's', verifyToken: 'v' },
      pace: { perSecond: 1, pairBurst: 2, pairEvery: '3s' },
    },
  ],
  keys: [{ ref: 'main', name: 'Main', scope: 'channel', channel: 'main' }],
  tags: ['vip'],
  flows: [
    {
      ...{ ref: 'welcome', name: 'Boas-vindas', enabled: true, channel: 'main', isMain: true },
      triggers: [{ on: 'first-message' }],
      steps: stepsWith('Olá'),
    },
    SHORT,
  ],
  files: [LOGO],
  subscriptions: [
    { ref: 'crm', url: 'https://crm.example.com', events: ['*'], secret: 's', enabled: true },
  ],
};
