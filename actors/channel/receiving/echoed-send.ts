/**
 * Finds the message of ours that an echo shows: a network that has forgotten a send reports it as
 * typed on the phone.
 *
 * 1. It is found by its network name, or else as the message in doubt that says the same.
 * 2. The message may be in another log than the one that the network's name of the person leads to:
 *    a contact that was known by a hidden id first keeps its conversation. Without that log the
 *    message would count as a person's, and its look-up would leave it out: it was sent again.
 */
import type { NetworkMessageCommand } from '../../model/conversation.ts';
import { newestByOrder } from '../sending/sending-order.ts';
import { logsBeside } from './chat-logs.ts';
import { findSent, type MessageLookupContext, type OwnMessage } from './named-message.ts';
import type { ReceivingChannel } from './receiving-channel.ts';
import type { RoutedMessage } from './route-event.ts';

type EchoContext = MessageLookupContext & Pick<ReceivingChannel, 'oldestOf' | 'whenIdle'>;
type Echo = Pick<RoutedMessage, 'conversationId' | 'externalId' | 'command'>;

/** The network has its own clock, and counts whole seconds. */
const CLOCK_SKEW_MS = 60_000;
/** A conversation rarely has more messages that are not sent yet. */
const QUEUE_READ = 100;

/** @param hasLookup the network has a look-up of sends, and may show one of ours as typed */
export async function findEchoed(
  context: EchoContext,
  echo: Echo,
  hasLookup: boolean,
): Promise<OwnMessage | null> {
  // The echo may be that of a message in flight, whose network id is about to be known.
  await context.whenIdle(echo.conversationId);
  const known = await findSent(context, echo);
  if (known || !hasLookup) return known;
  const here = await findInDoubt(context, echo.conversationId, echo.command);
  return here ?? findElsewhere(context, echo);
}

async function findElsewhere(context: EchoContext, echo: Echo): Promise<OwnMessage | null> {
  const logs = await logsBeside(context, echo);
  if (logs.length === 0) return null;
  await Promise.all(logs.map((log) => context.whenIdle(log)));
  const known = await findSent(context, echo);
  if (known) return known;
  for (const log of logs) {
    const found = await findInDoubt(context, log, echo.command);
    if (found) return found;
  }
  return null;
}

/**
 * Finds the log's message in doubt, if its content matches the echo; null otherwise. A send under an
 * id of ours does not match, unless it has a file. A message stays in doubt in the queue too: a
 * bridge that said it lacks it may show it later, while its repeat waits for the session.
 */
async function findInDoubt(
  { environment, oldestOf }: EchoContext,
  conversationId: string,
  echo: Pick<NetworkMessageCommand, 'text' | 'media' | 'at'>,
): Promise<OwnMessage | null> {
  const messageId = oldestOf(conversationId) ?? (await oldestOnRecord(environment, conversationId));
  if (messageId === undefined) return null;
  const entry = await environment.store.byId('entries', messageId);
  const { message, send } = entry ?? {};
  if (!message || !send) return null;
  const { state, since = 0, doubtSince = state === 'sending' ? since : null } = send;
  if (doubtSince === null) return null;
  const hasMedia = message.media !== null;
  const isLike =
    (message.text ?? '').trim() === (echo.text ?? '').trim() &&
    hasMedia === (echo.media !== undefined) &&
    echo.at >= doubtSince - CLOCK_SKEW_MS;
  // The network accepts no id of ours with a file, whatever was journaled.
  return isLike && (hasMedia || send.ownId === undefined) ? { conversationId, messageId } : null;
}

/** A new owner of the channel may not have read its queue yet. */
async function oldestOnRecord(
  { store }: Pick<EchoContext['environment'], 'store'>,
  conversationId: string,
): Promise<string | undefined> {
  const latest = await newestByOrder(store, conversationId, QUEUE_READ);
  return latest.findLast(({ send }) => send !== undefined)?._id;
}
