/** The records that the OpenAPI document shows as examples. */
import type { Channel } from '../../shared/api/channel.ts';
import type { Contact } from '../../shared/api/contact.ts';
import type { Conversation } from '../../shared/api/conversation.ts';
import type { Identity } from '../../shared/api/identity.ts';
import type { Message } from '../../shared/api/message.ts';

const AT = '2026-11-20T12:00:00.000Z';
export const CHANNEL_ID = 'chn_5XoBq2KzT0mWc8RvYh1LdE';
const CONTACT_ID = 'ctc_0a9Vb3Wc7XdLePqRsTuYz1';
export const CONVERSATION_ID = 'cnv_7Yh2KdQe5RtGvBnMxZcLpA';
export const MESSAGE_ID = 'msg_Qw3Er5Ty7Ui9Op1As2Df4G';
export const MEDIA_ID = 'med_3Ty5Ui7Op9As1Df3Gh5Jk7';
const PHONE = '5511988887777';
const NAME = 'Maria Lima';

export const CHANNEL: Channel = {
  id: CHANNEL_ID,
  label: 'Atendimento',
  provider: 'cloud',
  phone: '551140001000',
  enabled: true,
  ready: true,
  reason: null,
  createdAt: AT,
  backlog: {
    reply: { queued: 0, more: false, oldestQueuedAt: null },
    normal: { queued: 2, more: false, oldestQueuedAt: AT },
    bulk: { queued: 1_000, more: true, oldestQueuedAt: AT },
  },
};

export const CONTACT: Contact = {
  id: CONTACT_ID,
  phone: PHONE,
  name: NAME,
  email: 'maria@example.com',
  fields: { plano: 'ouro' },
  tags: ['vip'],
  optIn: true,
  optInAt: AT,
  optOutAt: null,
  source: 'api',
  createdAt: AT,
  updatedAt: AT,
};

export const CONVERSATION: Conversation = {
  id: CONVERSATION_ID,
  status: 'open',
  channel: { id: CHANNEL_ID, label: 'Atendimento', provider: 'cloud' },
  contact: { id: CONTACT_ID, phone: PHONE, name: NAME },
  assignedTo: null,
  participants: [],
  unread: 0,
  lastMessageAt: AT,
  lastMessagePreview: 'Seu pedido saiu para entrega.',
  automationPausedUntil: null,
  createdAt: AT,
  windowExpiresAt: null,
};

export const MESSAGE: Message = {
  id: MESSAGE_ID,
  direction: 'out',
  kind: 'text',
  text: 'Seu pedido saiu para entrega.',
  media: null,
  author: { kind: 'automation', label: 'ERP' },
  status: 'read',
  receipts: { sent: AT, delivered: AT, read: AT },
  externalId: 'wamid.HBgN',
  replyToId: null,
  transcript: null,
  createdAt: AT,
};

export const INBOUND_MESSAGE: Message = {
  ...MESSAGE,
  id: 'msg_7Mn9Bv1Cx3Za5Sd8Fg2Hj4',
  direction: 'in',
  text: 'Já chegou, obrigada!',
  author: { kind: 'contact', label: NAME },
  status: 'received',
  receipts: { sent: null, delivered: null, read: null },
  externalId: 'wamid.HBgO',
};

export const CANCELLED_MESSAGE: Message = {
  ...MESSAGE,
  status: 'cancelled',
  receipts: { sent: null, delivered: null, read: null },
  externalId: null,
  scheduledAt: '2026-12-01T12:00:00.000Z',
};

export const IDENTITY: Identity = {
  org: { id: 'org_8Zx6Cv4Bn2Mq0Lk9Jh7Gf5', name: 'Loja Exemplo' },
  scope: 'account',
  channel: null,
  token: {
    id: 'key_1Qa3Ws5Ed7Rf9Tg2Yh4Uj6',
    name: 'ERP',
    prefix: 'rcd_8Zx6Cv4B',
    createdAt: AT,
    lastUsedAt: AT,
    access: 'full',
    expiresAt: null,
  },
};

export const PAGE_OF_ONE = { page: 1, limit: 50, total: 1 };
