/**
 * What the network says of an outbound message. Receipts come twice, out of order, skip steps, and
 * may come before our own record of the send.
 *
 * 1. The status never steps down; a later one fills what it implies (`read` fills `delivered`).
 * 2. `message.sent` is emitted once: when the network is first known to have accepted it.
 * Contract section 3 (Message delivery), decisions: Behaviour (`message.sent`).
 */
import { STATUS_RANK, type StoredMessage } from '../../shared/message.ts';

export interface Receipt {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly at: number;
  readonly externalId?: string;
  /** Of a failure: the network's code and a Portuguese reason. */
  readonly error?: { readonly code: string; readonly message: string };
}

export interface ReceiptDecision {
  readonly message: StoredMessage;
  readonly events: readonly {
    readonly event: 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed';
    readonly at: number;
  }[];
}

/** Null when the receipt tells nothing new. */
export function decideReceipt(message: StoredMessage, receipt: Receipt): ReceiptDecision | null {
  if (message.direction !== 'out') return null;
  const rises = STATUS_RANK[receipt.status] > STATUS_RANK[message.status];
  if (receipt.status === 'failed') return rises ? fail(message, receipt) : null;
  const receipts = fill(message.receipts, receipt);
  const externalId = message.externalId ?? receipt.externalId ?? null;
  const newlySent = message.receipts.sent === null;
  if (!rises && !newlySent && externalId === message.externalId) return null;
  const { error: _, ...rest } = message;
  const base = rises ? { ...rest, status: receipt.status } : message;
  const events: { event: 'message.sent' | 'message.delivered' | 'message.read'; at: number }[] = [];
  if (newlySent) events.push({ event: 'message.sent', at: receipts.sent ?? receipt.at });
  if (rises && receipt.status !== 'sent') {
    events.push({ event: `message.${receipt.status}`, at: receipt.at });
  }
  return { message: { ...base, externalId, receipts }, events };
}

function fail(message: StoredMessage, receipt: Receipt): ReceiptDecision {
  return {
    message: {
      ...message,
      status: 'failed',
      externalId: message.externalId ?? receipt.externalId ?? null,
      error: receipt.error ?? { code: 'unknown', message: 'A rede recusou a mensagem.' },
    },
    events: [{ event: 'message.failed', at: receipt.at }],
  };
}

function fill(known: StoredMessage['receipts'], receipt: Receipt): StoredMessage['receipts'] {
  const reached = STATUS_RANK[receipt.status];
  const at = receipt.at;
  return {
    sent: known.sent ?? at,
    delivered: known.delivered ?? (reached >= STATUS_RANK.delivered ? at : null),
    read: known.read ?? (reached >= STATUS_RANK.read ? at : null),
  };
}
