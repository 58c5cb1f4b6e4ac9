/** Valid posts of both networks: every kind of entry, in any order, some of them twice. */
import type { SeededRandom } from '../simulation/world/seeded-random.ts';

const KINDS = ['text', 'image', 'audio', 'document', 'sticker', 'location', 'contacts', 'button'];
const LATER_KINDS = [
  ...['interactive', 'reaction', 'order', 'unsupported', 'novo'],
  ...['edit', 'revoke', 'system', 'request_welcome'],
] as const;
const STATUSES = ['sent', 'delivered', 'read', 'played', 'failed', 'deleted', 'warning'] as const;
const EVENTS = [
  'message',
  'message.any',
  'message.ack',
  'message.ack',
  'message.reaction',
  'message.edited',
  'message.revoked',
  'session.status',
  'call.received',
  'x',
] as const;
const SESSION_STATUSES = ['WORKING', 'STOPPED', 'SCAN_QR_CODE', 'NOVO'] as const;
const ERROR_CODES = [130429, 131031, 190, 368, 1] as const;
const ACCOUNT_EVENTS = [
  'DISABLED_UPDATE',
  'ACCOUNT_RESTRICTION',
  'ACCOUNT_DELETED',
  'ACCOUNT_RECONNECTED',
  'NOVO',
] as const;
const SYSTEM_TYPES = [
  'user_changed_number',
  'user_changed_user_id',
  'customer_identity_changed',
  'novo',
] as const;
const ACKS = [-1, 0, 1, 2, 3, 4, 99] as const;

export interface Posted {
  readonly phones: readonly string[];
  /** Ids at the network of messages that were sent. */
  readonly externalIds: readonly string[];
  readonly phoneNumberId: string;
  readonly session: string;
}

type Made = Record<string, unknown>;

let made = 0;

function freshId(): string {
  made += 1;
  return `wamid.fuzzed-${made}`;
}

function seconds(random: SeededRandom): string {
  return String(1_795_000_000 + random.below(100_000));
}

const PRODUCT = { catalog_id: '1', product_retailer_id: 'a' };
const REFERRAL = {
  ...{ source_url: 'https://fb.me/a', source_id: '120900', source_type: 'ad', ctwa_clid: 'ARk0' },
  ...{ headline: 'Só hoje', body: 'a\nb', media_type: 'image' },
};

function cloudMessage(random: SeededRandom, { phones }: Posted): Made {
  const type = random.pick([...KINDS, ...LATER_KINDS]);
  const media = {
    id: `media-${random.below(99)}`,
    mime_type: 'image/png',
    sha256: 'x',
    caption: 'oi',
  };
  const content: Record<string, unknown> = {
    text: { body: random.pick(['oi', 'SAIR', 'a\nb', '👍']) },
    ...{ image: media, audio: media, document: { ...media, filename: 'a.pdf' }, sticker: media },
    location: { latitude: -23.5, longitude: -46.6, name: 'Sé', address: 'Praça' },
    contacts: [{ name: { formatted_name: 'Ana' }, phones: [{ phone: '+55 11 98888-7777' }] }],
    button: { text: 'Sim', payload: 'sim' },
    interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'Opção' } },
    reaction: { message_id: 'wamid.x', emoji: '❤️' },
    order: {
      catalog_id: '1',
      product_items: [
        { product_retailer_id: 'a', quantity: 2, item_price: 9.995, currency: 'BRL' },
      ],
    },
    edit: {
      original_message_id: 'wamid.x',
      message: { type: 'image', image: { ...media, caption: 'agora' } },
    },
    revoke: { original_message_id: 'wamid.x' },
    system: {
      type: random.pick(SYSTEM_TYPES),
      body: 'User Ana changed from BR.1 to BR.2',
      wa_id: random.pick(phones),
      user_id: 'BR.2',
    },
  };
  const context = random.happens(0.2)
    ? { context: { id: 'wamid.before', from: '551140001000', referred_product: PRODUCT } }
    : {};
  const referral = random.happens(0.2) ? { referral: REFERRAL } : {};
  const from = random.pick(phones);
  const body = type in content ? { [type]: content[type] } : { errors: [{ code: 131051 }] };
  const ids = random.happens(0.3) ? { from_user_id: 'BR.1', from_parent_user_id: 'BR.ENT.1' } : {};
  const about = { ...context, ...referral, ...ids };
  const told = { id: freshId(), timestamp: seconds(random), type, ...about, ...body };
  return random.happens(0.1) ? told : { from, ...told };
}

function cloudStatus(random: SeededRandom, { phones, externalIds }: Posted): Made {
  const status = random.pick(STATUSES);
  const errors =
    status === 'failed' ? { errors: [{ code: 131026, title: 'x', message: 'y' }] } : {};
  const id = random.happens(0.7) ? random.pick(externalIds) : freshId();
  const recipient = { recipient_id: random.pick(phones), recipient_user_id: 'BR.1' };
  return { id, status, timestamp: seconds(random), ...recipient, ...errors };
}

function some<T>(random: SeededRandom, most: number, make: () => T): T[] {
  const list = Array.from({ length: random.below(most + 1) }, make);
  const [first] = list;
  return first !== undefined && random.happens(0.3) ? [...list, first] : list;
}

function accountUpdate(random: SeededRandom): Made {
  const expiration = Number(seconds(random));
  const value = {
    event: random.pick(ACCOUNT_EVENTS),
    // Only what names the number is believed of a channel without an account.
    ...(random.happens(0.9) ? { phone_number: '551140001000' } : {}),
    ban_info: { waba_ban_state: random.pick(['DISABLE', 'REINSTATE', 'SCHEDULE_FOR_DISABLE']) },
    restriction_info: [
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration },
      { restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration },
    ],
  };
  return { field: 'account_update', value };
}

function userIdUpdate(random: SeededRandom, { phones }: Posted, metadata: Made): Made {
  const phone = random.happens(0.5) ? { wa_id: random.pick(phones) } : {};
  const user_id = { previous: 'BR.1', current: 'BR.2' };
  const value = { metadata, user_id_update: [{ ...phone, user_id, timestamp: seconds(random) }] };
  return { field: 'user_id_update', value };
}

function calls(random: SeededRandom, { phones }: Posted, metadata: Made): Made {
  const told = () => ({
    ...{ id: freshId(), from: random.pick(phones), to: '551140001000' },
    event: random.pick(['connect', 'terminate']),
    direction: random.pick(['USER_INITIATED', 'BUSINESS_INITIATED']),
    timestamp: seconds(random),
    ...(random.happens(0.3) ? { start_time: seconds(random) } : {}),
  });
  return { field: 'calls', value: { metadata, calls: some(random, 3, told) } };
}

/** A batch of Meta's. */
export function cloudBatch(random: SeededRandom, posted: Posted): Made {
  const metadata = {
    display_phone_number: '551140001000',
    phone_number_id: random.happens(0.9) ? posted.phoneNumberId : 'another',
  };
  const value = () => ({
    messaging_product: 'whatsapp',
    metadata,
    contacts: posted.phones.map((wa_id) => ({ profile: { name: 'Ana' }, wa_id })),
    messages: some(random, 4, () => cloudMessage(random, posted)),
    statuses: some(random, 4, () => cloudStatus(random, posted)),
    ...(random.happens(0.1) ? { errors: [{ code: random.pick(ERROR_CODES), title: 'x' }] } : {}),
  });
  const echoes = () => ({
    messaging_product: 'whatsapp',
    metadata,
    message_echoes: some(random, 3, () => ({
      ...cloudMessage(random, posted),
      from: '551140001000',
      to: random.pick(posted.phones),
    })),
  });
  const changes = some(random, 3, () => {
    if (random.happens(0.7)) return { field: 'messages', value: value() };
    return random.happens(0.5)
      ? { field: random.pick(['smb_message_echoes', 'account_update']), value: echoes() }
      : random.pick([
          accountUpdate(random),
          userIdUpdate(random, posted, metadata),
          calls(random, posted, metadata),
        ]);
  });
  return { object: 'whatsapp_business_account', entry: [{ id: 'waba', changes }] };
}

const contextInfo = {
  externalAdReply: { title: 'a', sourceUrl: 'https://a', sourceId: '1', ctwaClid: 'AR' },
  quotedMessage: { productMessage: { product: { productId: '7', retailerId: 'a' } } },
};
/** Of the engine's own message. */
const RAW = [
  {},
  { message: { extendedTextMessage: { text: 'oi', contextInfo } } },
  { Message: { orderMessage: { orderID: '1', itemCount: 2, message: 'Quero' } } },
  { type: 'order', message: 'Quero' },
  { type: 'chat', ctwaContext: { title: 'a', conversionSource: 'FB_Ads' } },
];

/** An event of the bridge's. */
export function bridgeEvent(random: SeededRandom, posted: Posted): Made {
  const chat = `${random.pick(posted.phones)}@${random.pick(['c.us', 'c.us', 's.whatsapp.net', 'g.us'])}`;
  const fromMe = random.happens(0.3);
  const message = {
    id: `${fromMe}_${chat}_${freshId().replaceAll('.', '')}`,
    timestamp: Number(seconds(random)),
    ...(fromMe ? { from: '551140002000@c.us', to: chat } : { from: chat, to: '551140002000@c.us' }),
    ...{ fromMe, source: random.pick(['app', 'api']), body: random.pick(['oi', '', 'SAIR']) },
    hasMedia: random.happens(0.2),
    media: { url: null, mimetype: 'image/jpeg', filename: null },
    _data: { notifyName: 'Ana', key: { remoteJidAlt: chat }, ...random.pick(RAW) },
    ...(random.happens(0.2) ? { replyTo: { id: 'ABC' } } : {}),
    ...(random.happens(0.1) ? { location: { latitude: '1', longitude: '2' } } : {}),
  };
  const event = random.pick(EVENTS);
  const payload = {
    ...message,
    ...{ ack: random.pick(ACKS), status: random.pick(SESSION_STATUSES) },
    error: { code: random.pick(['463', '479', null]), until: random.pick(['2099-01-01', null]) },
    ...{ reaction: { text: '🙏', messageId: message.id }, editedMessageId: 'ABC' },
    ...{ after: message, revokedMessageId: 'ABC', before: null },
  };
  const reachoutTimelock = { isActive: random.happens(0.5), timeEnforcementEnds: 4_070_908_800 };
  const me = { id: '551140002000@c.us', ...(random.happens(0.3) ? { reachoutTimelock } : {}) };
  return { id: 'evt_1', timestamp: Date.now(), event, session: posted.session, me, payload };
}
