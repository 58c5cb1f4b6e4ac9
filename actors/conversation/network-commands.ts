/**
 * Commands that report what happened at the network, and the one that follows from a refusal there;
 * their answer says no more than its status.
 */
import { DONE } from '../../shared/wire/answer.ts';
import type { TurnContext } from '../runtime/api.ts';
import { recordCall } from './calls.ts';
import type { Conversation } from './conversation.ts';
import {
  changeMessage,
  receiveNetworkMessage,
  recordArrivedMedia,
  recordReceipt,
} from './receive.ts';
import { sendFallback } from './send.ts';

export const NETWORK_COMMANDS = {
  inbound: acknowledging(receiveNetworkMessage),
  echo: acknowledging(receiveNetworkMessage),
  receipt: acknowledging(recordReceipt),
  call: acknowledging(recordCall),
  'change-message': acknowledging(changeMessage),
  'media-arrived': acknowledging(recordArrivedMedia),
  'send-fallback': acknowledging(sendFallback),
} as const;

function acknowledging<Sent>(
  run: (conversation: Conversation, command: Sent, context: TurnContext) => Promise<unknown>,
) {
  return async (conversation: Conversation, command: Sent, context: TurnContext) => {
    await run(conversation, command, context);
    return DONE;
  };
}
