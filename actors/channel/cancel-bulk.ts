/**
 * Cancels what waits in bulk in a channel's queue, some hundred messages a call (D427).
 *
 * 1. The audit entry is written before the first message is cancelled: no call is without one.
 * 2. The work is finite: messages that are accepted after the first call stay.
 * 3. Each message is cancelled by its conversation. One that is on its way by then goes.
 */
import { failure, renderFailure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { CancelBulk, CancelledBulk } from '../../shared/wire/commands.ts';
import type { EntryDocument } from '../model/conversation.ts';
import type { Channel } from './channel.ts';
import { WAITING_INDEX } from './queued-sends.ts';

/** Of one call: it is answered before its ask would be repeated. */
const PAGE = 200;
const AT_ONCE = 32;
/** Another machine, with its clock ahead, may have accepted a message. */
const CLOCKS_APART_MS = 5_000;

type QueueingChannel = Pick<Channel, 'channelId' | 'environment' | 'configuration'>;

export async function cancelBulk(
  channel: QueueingChannel,
  command: CancelBulk & Pick<Command, 'by'>,
): Promise<Answer> {
  const configuration = await channel.configuration();
  const { orgId } = command;
  if (configuration?.orgId !== orgId) return renderFailure(failure('channel_not_found'));
  const { clock } = channel.environment;
  const before = command.before ?? clock.now() + CLOCKS_APART_MS;
  if (command.before === null) await recordAudit(channel, command);
  const waiting = await readWaiting(channel, before);
  let cancelled = 0;
  for (let at = 0; at < waiting.length; at += AT_ONCE) {
    const some = waiting.slice(at, at + AT_ONCE);
    const statuses = await Promise.all(some.map((each) => cancelOne(channel, orgId, each)));
    cancelled += statuses.filter((status) => status === 200).length;
  }
  // Where none could be cancelled, all that is left is on its way.
  const more = waiting.length === PAGE && cancelled > 0;
  const body: CancelledBulk = { cancelled, before, more };
  return answerOf(body);
}

type Waiting = Pick<EntryDocument, '_id' | 'conversationId'>;

/** The newest first: they are the furthest from being sent. */
function readWaiting(
  { channelId, environment }: QueueingChannel,
  before: number,
): Promise<readonly Waiting[]> {
  const ofChannel = { 'send.channelId': channelId, 'send.urgency': 'bulk' } as const;
  const waiting = { 'send.state': 'queued', 'send.at': { $lte: before } } as const;
  return environment.store.find(
    'entries',
    { ...ofChannel, ...waiting },
    {
      sort: { 'send.at': -1 },
      ...{ limit: PAGE, index: WAITING_INDEX },
      project: { conversationId: 1 },
    },
  );
}

async function cancelOne(
  { environment: { bus, clock, ids } }: QueueingChannel,
  orgId: string,
  { _id: messageId, conversationId: key }: Waiting,
): Promise<number> {
  const named = { id: ids.fresh('cmd'), type: 'cancel-message' } as const;
  const command = { ...named, orgId, messageId, channelScope: null };
  const deadline = clock.now() + ASK_DEADLINE_MS;
  const { status } = await bus.ask({ kind: 'conversation', key }, command, { deadline });
  return status;
}

async function recordAudit(
  { channelId, environment }: QueueingChannel,
  { id: commandId, by, orgId }: CancelBulk & Pick<Command, 'by'>,
): Promise<void> {
  if (!by) return;
  const { bus, clock, ids } = environment;
  const id = ids.derive('aud', commandId, 'channel', channelId);
  const at = clock.now();
  const entry = { id, at, by, subject: { kind: 'channel', id: channelId }, details: {} };
  const command = { id, type: 'record-audit', entry } as const;
  const deadline = at + ASK_DEADLINE_MS;
  const answer = await bus.ask({ kind: 'organization', key: orgId }, command, { deadline });
  if (answer.status !== 200) throw new Error(`an audit entry was answered with ${answer.status}`);
}
