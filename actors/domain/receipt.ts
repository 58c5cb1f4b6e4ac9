/**
 * Status reports of the network about an outbound message. They arrive twice, out of order, skip
 * steps, and may precede our own record of the send.
 *
 * 1. The status never steps down; a later one fills what it implies (`read` fills `delivered`).
 * 2. `message.sent` is emitted once: when the network is first known to have accepted the message.
 * 3. A higher status has a higher revision, whatever came before it. Two owners may decide on one
 *    message at a time: `$max` keeps the higher status in any order of their writes.
 *
 * C3.2, D13, D57.
 */
import { STATUS_RANK, type StoredMessage, type StoredStatus } from '../../shared/message.ts';

export interface Receipt {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly at: number;
  readonly externalId?: string;
  /** The network's full id, where `externalId` is one segment of it. */
  readonly fullId?: string;
  /** Error of a failure: the network's code and a Portuguese reason. */
  readonly error?: { readonly code: string; readonly message: string };
}

export interface ReceiptDecision {
  readonly message: StoredMessage;
  readonly events: readonly {
    readonly event: 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed';
    readonly at: number;
  }[];
}

/** Exceeds the number of changes that a message has under one status. */
const REVISIONS_PER_STATUS = 1_000;

function revisionAfter({ revision }: StoredMessage, status: StoredStatus): number {
  return Math.max(revision + 1, STATUS_RANK[status] * REVISIONS_PER_STATUS);
}

/** Null when the receipt reports nothing new. */
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
    const at = receipts[receipt.status] ?? receipt.at;
    events.push({ event: `message.${receipt.status}`, at });
  }
  const revision = revisionAfter(message, base.status);
  return {
    message: { ...base, revision, externalId, ...fullIdOf(base, receipt), receipts },
    events,
  };
}

/** A full id that is new is stored with the other changes. */
function fullIdOf({ fullId }: StoredMessage, receipt: Receipt): Pick<StoredMessage, 'fullId'> {
  const known = fullId ?? receipt.fullId;
  return known === undefined ? {} : { fullId: known };
}

function fail(message: StoredMessage, receipt: Receipt): ReceiptDecision {
  return {
    message: {
      ...message,
      revision: revisionAfter(message, 'failed'),
      status: 'failed',
      externalId: message.externalId ?? receipt.externalId ?? null,
      ...fullIdOf(message, receipt),
      error: receipt.error ?? { code: 'unknown', message: 'A rede recusou a mensagem.' },
    },
    events: [{ event: 'message.failed', at: receipt.at }],
  };
}

/** The network reports whole seconds: a later step is never shown before an earlier one. */
function fill(known: StoredMessage['receipts'], receipt: Receipt): StoredMessage['receipts'] {
  const reached = STATUS_RANK[receipt.status];
  const sent = known.sent ?? receipt.at;
  const delivered =
    known.delivered ?? (reached >= STATUS_RANK.delivered ? Math.max(receipt.at, sent) : null);
  const read =
    known.read ?? (reached >= STATUS_RANK.read ? Math.max(receipt.at, delivered ?? sent) : null);
  return { sent, delivered, read };
}
