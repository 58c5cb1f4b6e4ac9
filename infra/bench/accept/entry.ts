/**
 * The entry of a plain send as the actors make it: the same fields, of the same sizes. `infra` may
 * not import them; a test holds this one against theirs.
 */
import { shelved } from '../../../shared/wire/subjects.ts';
import { freshId } from '../../adapters/ids/ids.ts';

/** A send to a contact that is known. */
export interface Sent {
  readonly channelId: string;
  readonly phone: string;
  readonly text: string;
  /** Of its conversation; the first entry has 1. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** As long as an id's random part. */
const ID_CHARS = 22;
const ORG_ID = `org_${'0'.repeat(ID_CHARS)}`;

/** Queued for its channel, behind the entry before it. */
export function entryOf({ channelId, phone, text, seq, at }: Sent) {
  const digits = phone.replace(/\D/g, '');
  const name = digits.padStart(ID_CHARS, '0');
  const id = `cnv_0_${name}`;
  return {
    _id: freshId('msg'),
    conversationId: id,
    seq,
    orgId: ORG_ID,
    channelId,
    requestId: freshId('req'),
    message: {
      revision: 1,
      kind: 'text',
      media: null,
      receipts: { sent: null, delivered: null, read: null },
      externalId: null,
      replyToId: null,
      transcript: null,
      direction: 'out',
      text,
      origin: 'api',
      author: { kind: 'automation', label: 'Bench' },
      status: 'queued',
      createdAt: at,
    },
    after: {
      id,
      orgId: ORG_ID,
      channelId,
      contact: { id: `ctc_${name}`, phone: digits, name: null },
      networkId: null,
      status: 'open',
      assignedTo: null,
      participants: [],
      unread: 0,
      lastMessageAt: at,
      lastMessagePreview: text,
      automationPausedUntil: null,
      createdAt: at,
      seq,
      at,
      messages: seq,
      notes: 0,
      queuedSeq: seq,
      run: null,
      received: 0,
      lastMessageSeq: seq,
    },
    send: {
      ...shelved('channel', channelId),
      channelId,
      state: 'queued',
      at,
      previousSeq: seq - 1,
      attempt: 0,
    },
  };
}
