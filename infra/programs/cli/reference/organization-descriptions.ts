/** Meanings of the properties of an organization and of its lists' entries. */
import { SECRET_ROTATION_MS } from '../../../../shared/limits.ts';
import { DEFAULT_COUNTRY, DEFAULT_TIME_ZONE } from '../../../../shared/provisioning/defaults.ts';
import { type ObjectDescription, type PropertyDescription, ref, remove } from './descriptions.ts';

const HOUR_MS = 3_600_000;

const list = (of: string, example: unknown): PropertyDescription => ({
  means: `the organization's ${of}`,
  example,
  without: 'none',
  later: 'all stay',
});

export const Organization: ObjectDescription = {
  heading: 'Organization',
  level: 2,
  means: 'An entry of `orgs`. Its `ref` is one in the whole installation.',
  merges: true,
  properties: {
    ref: { ...ref, example: 'loja' },
    remove: {
      ...remove,
      means:
        'takes the organization away: no key, number, flow or subscription of it works any more',
    },
    name: { means: 'what it is called, also in messages', example: 'Loja Exemplo', needed: true },
    timeZone: {
      means: 'the zone of its dates, of opening hours and of due times',
      example: 'America/Manaus',
      default: DEFAULT_TIME_ZONE,
    },
    country: {
      means: 'the country of phone numbers that are written without a country code',
      example: 'PT',
      default: DEFAULT_COUNTRY,
    },
    limits: {
      means: 'calls of the API per window of 60 s',
      example: { perKey: 120, perOrg: 600 },
      without: "the service's own",
    },
    members: list('people', [{ ref: 'ana', name: 'Ana Souza' }]),
    channels: list('connected numbers', [{ ref: 'main', enabled: false }]),
    keys: list('keys of the API', [{ ref: 'erp', name: 'ERP', scope: 'account' }]),
    tags: list('tags of contacts', ['vip']),
    pipelines: list('pipelines of deals', [{ ref: 'vendas', default: true }]),
    flows: list('automation', [{ ref: 'welcome', enabled: false }]),
    files: list('file library', [{ ref: 'logo', name: 'logo.png', path: './logo.png' }]),
    subscriptions: list('subscribers to events', [{ ref: 'crm', enabled: true }]),
  },
};

export const Limits: ObjectDescription = {
  heading: 'Limits',
  level: 3,
  means: '`limits` of an organization. `null` gives the service’s own back.',
  merges: true,
  properties: {
    perKey: { means: 'calls of one key', example: 120, without: 'as `RATE_LIMIT_KEY` says' },
    perOrg: { means: 'calls of all keys', example: 600, without: 'as `RATE_LIMIT_ORG` says' },
  },
};

export const Member: ObjectDescription = {
  heading: 'Members',
  level: 2,
  means: 'A person of the team: conversations, deals and tasks are assigned to them.',
  merges: true,
  properties: {
    ref: { ...ref, example: 'ana' },
    remove,
    name: { means: 'the name that contacts and the team see', example: 'Ana Souza', needed: true },
    email: {
      means: 'where reminders of tasks and sign-in links go; empty or null for none',
      example: 'ana@example.com',
      default: null,
    },
    role: {
      means: 'what the member may do in the panel: all, its work, or reading',
      example: 'admin',
      default: 'attendant',
    },
  },
};

export const Key: ObjectDescription = {
  heading: 'Keys',
  level: 2,
  means:
    'A key of the API. A key that was revoked stays so; removed and applied again it is new. One ' +
    'that has expired works again with a later `expiresAt`.',
  merges: true,
  properties: {
    ref: { ...ref, example: 'erp' },
    remove: { ...remove, means: 'revokes the key' },
    name: { means: 'what the key is for', example: 'ERP', needed: true },
    scope: {
      means: '`account` for the whole organization, `channel` for one number',
      example: 'account',
      needed: true,
    },
    channel: {
      means: 'the channel that a key of the scope `channel` speaks for',
      example: 'shop',
      without: 'refused for the scope `channel`; the scope `account` takes none',
    },
    access: {
      means:
        '`read` for reading and event streams, `send` also for messages, notes and starting ' +
        'flows, `full` for everything',
      example: 'send',
      default: 'full',
    },
    expiresAt: {
      means: 'when it stops working: a time with its zone; null for never',
      example: '2030-01-31T23:59:59Z',
      default: null,
    },
    assistant: {
      means:
        'whether it is an AI assistant: what it changes has the origin `assistant`, in events and ' +
        'in the audit log',
      example: true,
      default: false,
    },
    token: {
      means: 'the token itself; another one replaces it at once. A token is one key’s only',
      example: 'given-by-the-caller-0123456789',
      without: 'one is made and printed this once',
    },
  },
};

export const Tag: ObjectDescription = {
  heading: 'Tags',
  level: 2,
  means:
    'A tag is its name alone, `vip`, or an object with these properties. Two names that differ in ' +
    'case are one tag, spelled as it was first written.',
  merges: true,
  properties: {
    ref: { means: "the tag's name", example: 'vip' },
    remove: { ...remove, means: 'takes the tag out of the list; contacts keep it' },
  },
};

export const Pipeline: ObjectDescription = {
  heading: 'Pipelines',
  level: 2,
  means:
    'A board of deals. One that no file has made has its id as its ref, as its stages have theirs: ' +
    '`recado pipelines list` shows them. A file removes no pipeline.',
  merges: true,
  properties: {
    ref: { ...ref, example: 'vendas' },
    name: { means: 'what it is called', example: 'Vendas', needed: true },
    default: {
      means:
        'whether it takes deals that come without a stage; true takes it from the one before. In a ' +
        'new organization it stands in the place of `Funil de vendas`',
      example: true,
      default: false,
    },
    stages: {
      means:
        'its stages in the order of the board, 50 at most; a list that is given replaces the whole ' +
        'list. A stage keeps its id by its ref, also under a new name and after its removal',
      example: [{ ref: 'novo', name: 'Novo' }],
      needed: true,
    },
    moveTo: {
      means:
        'by the ref of a stage that the list leaves out, the ref of the one that takes its deals; ' +
        'without it a stage that has deals is not removed',
      example: { proposta: 'novo' },
      without: 'none',
      later: 'none',
    },
  },
};

export const File: ObjectDescription = {
  heading: 'Files',
  level: 2,
  means: 'A file of the library, which flows, members and callers send.',
  merges: true,
  properties: {
    ref: { ...ref, example: 'logo' },
    remove: { ...remove, means: 'takes it out of the library; messages that carry it keep it' },
    name: { means: 'the name that receivers see', example: 'logo.png', needed: true },
    mimeType: { means: 'its media type', example: 'image/png', needed: true },
    path: {
      means: 'where its content lies; relative to the folder of the provisioning file',
      example: './logo.png',
      needed: true,
      later: 'the content stays',
    },
  },
};

export const Subscription: ObjectDescription = {
  heading: 'Subscriptions',
  level: 2,
  means: 'An address that events are posted to. Bodies and signatures: [events](events.md).',
  merges: true,
  properties: {
    ref: { ...ref, example: 'crm' },
    remove,
    url: {
      means:
        'where events go. An address on an internal network is refused unless the service has ' +
        '`host:port` in `PRIVATE_NETWORK_ALLOW`, one on the loopback also with `EVENTS_TO_LOOPBACK`',
      example: 'https://crm.example.com/hook',
      needed: true,
    },
    events: {
      means: '`*` is the nine events of the contract; the others are named one by one',
      example: ['deal.won', 'message.read'],
      default: ['*'],
    },
    secret: {
      means:
        'what deliveries are signed with; after `whsec_` padded base64 of 24 to 64 bytes; given ' +
        'anew it is a rotation, and the one before stays ' +
        `valid for ${SECRET_ROTATION_MS / HOUR_MS} hours`,
      example: 'given-by-the-caller',
      without: 'one is made and printed this once',
    },
    enabled: {
      means: 'whether events are delivered',
      example: false,
      default: true,
      later: 'stays; another `url` enables what the service had disabled',
    },
  },
};
