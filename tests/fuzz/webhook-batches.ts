/** What both networks post, valid: every kind of entry, in any order, some of them twice. */
import type { Dice } from './dice.ts';

const KINDS = ['text', 'image', 'audio', 'document', 'sticker', 'location', 'contacts', 'button'];
const LATER_KINDS = [
  ...['interactive', 'reaction', 'order', 'unsupported', 'novo'],
  ...['edit', 'revoke', 'system'],
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

function seconds(dice: Dice): string {
  return String(1_795_000_000 + dice.below(100_000));
}

function cloudMessage(dice: Dice, { phones }: Posted): Made {
  const type = dice.pick([...KINDS, ...LATER_KINDS]);
  const media = {
    id: `media-${dice.below(99)}`,
    mime_type: 'image/png',
    sha256: 'x',
    caption: 'oi',
  };
  const content: Record<string, unknown> = {
    text: { body: dice.pick(['oi', 'SAIR', 'a\nb', '👍']) },
    ...{ image: media, audio: media, document: { ...media, filename: 'a.pdf' }, sticker: media },
    location: { latitude: -23.5, longitude: -46.6, name: 'Sé', address: 'Praça' },
    contacts: [{ name: { formatted_name: 'Ana' }, phones: [{ phone: '+55 11 98888-7777' }] }],
    button: { text: 'Sim', payload: 'sim' },
    interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'Opção' } },
    reaction: { message_id: 'wamid.x', emoji: '❤️' },
    order: { catalog_id: '1', product_items: [{ product_retailer_id: 'a', quantity: 2 }] },
    edit: {
      original_message_id: 'wamid.x',
      message: { type: 'image', image: { ...media, caption: 'agora' } },
    },
    revoke: { original_message_id: 'wamid.x' },
    system: {
      type: dice.pick(SYSTEM_TYPES),
      body: 'User Ana changed from BR.1 to BR.2',
      wa_id: dice.pick(phones),
      user_id: 'BR.2',
    },
  };
  const context = dice.chance(0.2) ? { context: { id: 'wamid.before', from: '551140001000' } } : {};
  const from = dice.pick(phones);
  const body = type in content ? { [type]: content[type] } : { errors: [{ code: 131051 }] };
  const ids = dice.chance(0.3) ? { from_user_id: 'BR.1', from_parent_user_id: 'BR.ENT.1' } : {};
  const told = { id: freshId(), timestamp: seconds(dice), type, ...context, ...ids, ...body };
  return dice.chance(0.1) ? told : { from, ...told };
}

function cloudStatus(dice: Dice, { phones, externalIds }: Posted): Made {
  const status = dice.pick(STATUSES);
  const errors =
    status === 'failed' ? { errors: [{ code: 131026, title: 'x', message: 'y' }] } : {};
  const id = dice.chance(0.7) ? dice.pick(externalIds) : freshId();
  const recipient = { recipient_id: dice.pick(phones), recipient_user_id: 'BR.1' };
  return { id, status, timestamp: seconds(dice), ...recipient, ...errors };
}

function some<T>(dice: Dice, most: number, make: () => T): T[] {
  const list = Array.from({ length: dice.below(most + 1) }, make);
  const [first] = list;
  return first !== undefined && dice.chance(0.3) ? [...list, first] : list;
}

function accountUpdate(dice: Dice): Made {
  const expiration = Number(seconds(dice));
  const value = {
    event: dice.pick(ACCOUNT_EVENTS),
    ban_info: { waba_ban_state: dice.pick(['DISABLE', 'REINSTATE', 'SCHEDULE_FOR_DISABLE']) },
    restriction_info: [
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration },
      { restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration },
    ],
  };
  return { field: 'account_update', value };
}

function userIdUpdate(dice: Dice, { phones }: Posted, metadata: Made): Made {
  const phone = dice.chance(0.5) ? { wa_id: dice.pick(phones) } : {};
  const user_id = { previous: 'BR.1', current: 'BR.2' };
  const value = { metadata, user_id_update: [{ ...phone, user_id, timestamp: seconds(dice) }] };
  return { field: 'user_id_update', value };
}

/** A batch of Meta's. */
export function cloudBatch(dice: Dice, posted: Posted): Made {
  const metadata = {
    display_phone_number: '551140001000',
    phone_number_id: dice.chance(0.9) ? posted.phoneNumberId : 'another',
  };
  const value = () => ({
    messaging_product: 'whatsapp',
    metadata,
    contacts: posted.phones.map((wa_id) => ({ profile: { name: 'Ana' }, wa_id })),
    messages: some(dice, 4, () => cloudMessage(dice, posted)),
    statuses: some(dice, 4, () => cloudStatus(dice, posted)),
    ...(dice.chance(0.1) ? { errors: [{ code: dice.pick(ERROR_CODES), title: 'x' }] } : {}),
  });
  const echoes = () => ({
    messaging_product: 'whatsapp',
    metadata,
    message_echoes: some(dice, 3, () => ({
      ...cloudMessage(dice, posted),
      from: '551140001000',
      to: dice.pick(posted.phones),
    })),
  });
  const changes = some(dice, 3, () => {
    if (dice.chance(0.7)) return { field: 'messages', value: value() };
    return dice.chance(0.5)
      ? { field: dice.pick(['smb_message_echoes', 'account_update']), value: echoes() }
      : dice.pick([accountUpdate(dice), userIdUpdate(dice, posted, metadata)]);
  });
  return { object: 'whatsapp_business_account', entry: [{ id: 'waba', changes }] };
}

/** An event of the bridge's. */
export function bridgeEvent(dice: Dice, posted: Posted): Made {
  const chat = `${dice.pick(posted.phones)}@${dice.pick(['c.us', 'c.us', 's.whatsapp.net', 'g.us'])}`;
  const fromMe = dice.chance(0.3);
  const message = {
    id: `${fromMe}_${chat}_${freshId().replaceAll('.', '')}`,
    timestamp: Number(seconds(dice)),
    ...(fromMe ? { from: '551140002000@c.us', to: chat } : { from: chat, to: '551140002000@c.us' }),
    ...{ fromMe, source: dice.pick(['app', 'api']), body: dice.pick(['oi', '', 'SAIR']) },
    hasMedia: dice.chance(0.2),
    media: { url: null, mimetype: 'image/jpeg', filename: null },
    _data: { notifyName: 'Ana', key: { remoteJidAlt: chat } },
    ...(dice.chance(0.2) ? { replyTo: { id: 'ABC' } } : {}),
    ...(dice.chance(0.1) ? { location: { latitude: '1', longitude: '2' } } : {}),
  };
  const event = dice.pick(EVENTS);
  const payload = {
    ...message,
    ...{ ack: dice.pick(ACKS), status: dice.pick(SESSION_STATUSES) },
    error: { code: dice.pick(['463', '479', null]), until: dice.pick(['2099-01-01', null]) },
    ...{ reaction: { text: '🙏', messageId: message.id }, editedMessageId: 'ABC' },
    ...{ after: message, revokedMessageId: 'ABC', before: null },
  };
  const reachoutTimelock = { isActive: dice.chance(0.5), timeEnforcementEnds: 4_070_908_800 };
  const me = { id: '551140002000@c.us', ...(dice.chance(0.3) ? { reachoutTimelock } : {}) };
  return { id: 'evt_1', timestamp: Date.now(), event, session: posted.session, me, payload };
}
