/**
 * One dispatch round: read the oldest message of each lane, mark them `sending` in one journaled
 * write, hand them to the network side by side, and record what it said.
 */
import { AMBIGUOUS_SEND_WAIT_MS, QUEUED_MESSAGE_MAX_AGE_MS } from '../../shared/limits.ts';
import type { SendOutcome } from '../../shared/network.ts';
import type { Write } from '../../shared/ports.ts';
import type { ReceiptCommand } from '../conversation/commands.ts';
import type { EntryDocument, SendAgenda } from '../conversation/documents.ts';
import type { Receipt } from '../domain/receipt.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import type { ChannelConfiguration } from './configuration.ts';
import { insistOnReceipt } from './insist.ts';
import type { Lane, Queued } from './lanes.ts';
import type { SentIndex } from './sent-index.ts';

/** What a round needs of its desk. */
export interface RoundDesk {
  readonly channelId: string;
  readonly epoch: number;
  readonly world: World;
  readonly sent: SentIndex;
  readonly closed: boolean;
  /** The network says that the whole channel cannot send until somebody mends it. */
  refuseAll(reason: string): void;
}

/** What a round makes of one lane. */
export type Judged =
  | { readonly judged: 'done' }
  | { readonly judged: 'ambiguous'; readonly waitMs: number }
  | {
      readonly judged: 'later';
      readonly waitMs: number;
      readonly scope: 'number' | 'pair' | 'account';
      readonly channelReason?: string | undefined;
    };

type Judge = (lane: Lane, how: Judged) => void;

interface Round {
  readonly configuration: ChannelConfiguration;
  readonly taken: readonly { readonly lane: Lane; readonly queued: Queued }[];
  readonly judge: Judge;
}

const TOO_OLD = {
  code: 'expired',
  message: 'A mensagem esperou mais de 24 horas na fila e não foi enviada.',
};
const UNCONFIRMED = {
  code: 'unconfirmed',
  message: 'A rede não confirmou o envio da mensagem.',
};
/** Beyond this many lost answers in a row sending again does more harm than good. */
const AMBIGUOUS_ATTEMPTS_MAX = 5;
const STORE_RETRY_MS = 250;

export async function sendRound(desk: RoundDesk, round: Round): Promise<void> {
  try {
    const entries = await readEntries(desk, round);
    const now = desk.world.clock.now();
    const ready: { lane: Lane; entry: EntryDocument; send: SendAgenda }[] = [];
    for (const { lane, queued } of round.taken) {
      const entry = entries.get(queued.entryId);
      if (!entry?.send) round.judge(lane, { judged: 'done' });
      else if (!judgeWithoutSending(desk, { lane, entry, send: entry.send, now }, round.judge)) {
        ready.push({ lane, entry, send: entry.send });
      }
    }
    const outcomes = await desk.world.store.commit(
      ready.map(({ entry, send }) => marking(desk, { entry, send, now })),
    );
    ready.forEach(({ lane, entry, send }, index) => {
      // Another owner has marked this attempt: it is theirs to make.
      if (outcomes[index]?.ok !== true) {
        round.judge(lane, { judged: 'ambiguous', waitMs: AMBIGUOUS_SEND_WAIT_MS });
        return;
      }
      const marked = { ...send, attempt: send.attempt + 1, since: now };
      void sendOne(desk, { ...round, lane, entry, send: marked });
    });
  } catch (fault) {
    desk.world.log.warn({ channelId: desk.channelId, error: describe(fault) }, 'round failed');
    for (const { lane } of round.taken) {
      if (lane.busy) {
        round.judge(lane, { judged: 'later', waitMs: STORE_RETRY_MS, scope: 'number' });
      }
    }
  }
}

async function readEntries(desk: RoundDesk, round: Round): Promise<Map<string, EntryDocument>> {
  const entries = await desk.world.store.find<EntryDocument>('entries', {
    _id: { $in: round.taken.map(({ queued }) => queued.entryId) },
  });
  return new Map(entries.map((entry) => [entry._id, entry]));
}

interface Candidate {
  readonly lane: Lane;
  readonly entry: EntryDocument;
  readonly send: SendAgenda;
  readonly now: number;
}

/** True when the message is not to be handed over now. */
function judgeWithoutSending(desk: RoundDesk, { lane, entry, send, now }: Candidate, judge: Judge) {
  if (send.state === 'sending') {
    const waitMs = (send.since ?? now) + AMBIGUOUS_SEND_WAIT_MS - now;
    if (waitMs > 0) {
      judge(lane, { judged: 'ambiguous', waitMs });
      return true;
    }
    if (send.attempt >= AMBIGUOUS_ATTEMPTS_MAX) {
      void fail(desk, { lane, entry, judge, error: UNCONFIRMED });
      return true;
    }
  }
  if (now - send.at > QUEUED_MESSAGE_MAX_AGE_MS) {
    void fail(desk, { lane, entry, judge, error: TOO_OLD });
    return true;
  }
  return false;
}

/** With `upsert`, an attempt that somebody else marked shows as a duplicate. */
function marking(
  desk: RoundDesk,
  { entry, send, now }: Pick<Candidate, 'entry' | 'send' | 'now'>,
): Write {
  return {
    update: 'entries',
    filter: { _id: entry._id, 'send.state': send.state, 'send.attempt': send.attempt },
    change: {
      $set: {
        'send.state': 'sending',
        'send.epoch': desk.epoch,
        'send.since': now,
      },
      $inc: { 'send.attempt': 1 },
    },
    upsert: true,
  };
}

interface Sending {
  readonly configuration: ChannelConfiguration;
  readonly judge: Judge;
  readonly lane: Lane;
  readonly entry: EntryDocument;
  readonly send: SendAgenda;
}

async function sendOne(desk: RoundDesk, sending: Sending): Promise<void> {
  const { configuration, judge, lane, entry, send } = sending;
  const { networks, log } = desk.world;
  // The lease may have ended since the round was marked: then the next owner resolves it.
  if (!desk.world.alive() || desk.closed) {
    return judge(lane, { judged: 'ambiguous', waitMs: AMBIGUOUS_SEND_WAIT_MS });
  }
  desk.sent.keep(entry._id, entry.conversationId);
  const outcome = await networks
    .driver(configuration.network.provider)
    .sendText(configuration.network, {
      messageId: entry._id,
      to: entry.after.networkId ?? entry.after.contact.phone,
      text: entry.message.text ?? '',
    });
  log.info(
    {
      channelId: desk.channelId,
      messageId: entry._id,
      attempt: send.attempt,
      outcome: outcome.outcome,
      ...(outcome.outcome === 'refused' ? { code: outcome.code } : {}),
    },
    'send',
  );
  await record(desk, sending, outcome);
}

async function record(desk: RoundDesk, sending: Sending, outcome: SendOutcome): Promise<void> {
  const { judge, lane, entry, send } = sending;
  switch (outcome.outcome) {
    case 'accepted': {
      desk.sent.keep(outcome.externalId, entry.conversationId);
      const receipt: Receipt = {
        status: 'sent',
        at: desk.world.clock.now(),
        externalId: outcome.externalId,
      };
      await insistOnReceipt(desk.world, receiptCommand(sending, receipt, outcome.networkId));
      return judge(lane, { judged: 'done' });
    }
    case 'refused':
      if (outcome.channelReason !== undefined) desk.refuseAll(outcome.channelReason);
      return fail(desk, {
        lane,
        entry,
        judge,
        error: { code: outcome.code, message: outcome.reason },
      });
    case 'later':
      await putBack(desk, entry, send);
      return judge(lane, { judged: 'later', ...outcome });
    case 'unknown':
      return judge(lane, { judged: 'ambiguous', waitMs: AMBIGUOUS_SEND_WAIT_MS });
    default:
      outcome satisfies never;
  }
}

function receiptCommand(
  { configuration, entry }: Pick<Sending, 'configuration' | 'entry'>,
  receipt: Receipt,
  networkId?: string,
): { readonly conversationId: string; readonly command: Omit<ReceiptCommand, 'id'> } {
  return {
    conversationId: entry.conversationId,
    command: {
      type: 'receipt',
      messageId: entry._id,
      receipt,
      networkId: networkId ?? null,
      earlyPossible: configuration.entry.provider === 'web',
    },
  };
}

interface Failing {
  readonly lane: Lane;
  readonly entry: EntryDocument;
  readonly judge: Judge;
  readonly error: { readonly code: string; readonly message: string };
}

async function fail(desk: RoundDesk, { lane, entry, judge, error }: Failing): Promise<void> {
  const receipt: Receipt = { status: 'failed', at: desk.world.clock.now(), error };
  await insistOnReceipt(desk.world, {
    conversationId: entry.conversationId,
    command: {
      type: 'receipt',
      messageId: entry._id,
      receipt,
      networkId: null,
      earlyPossible: false,
    },
  });
  judge(lane, { judged: 'done' });
}

/** Nothing was sent: the message is queued again, and its attempt is not ambiguous. */
async function putBack(desk: RoundDesk, entry: EntryDocument, send: SendAgenda): Promise<void> {
  try {
    await desk.world.store.commit([
      {
        update: 'entries',
        filter: { _id: entry._id, 'send.state': 'sending', 'send.attempt': send.attempt },
        change: { $set: { 'send.state': 'queued', 'send.attempt': send.attempt - 1 } },
      },
    ]);
  } catch (fault) {
    // Then it counts as ambiguous: later than it could be, but never lost and never doubled.
    desk.world.log.warn({ messageId: entry._id, error: describe(fault) }, 'could not put back');
  }
}
