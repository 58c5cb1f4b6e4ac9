/** What a channel has learnt has to reach its actor: asked until it is taken or we act no more. */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Address, Command } from '../../shared/ports.ts';
import type { ReceiptCommand } from '../conversation/commands.ts';
import type { Receipt } from '../domain/receipt.ts';
import type { SetReadiness, SetRestriction } from '../organization/commands.ts';
import { describe } from '../runtime/mailbox.ts';
import type { DeskWorld } from './configuration.ts';

const RETRY_MS = 200;

async function insist(
  world: DeskWorld,
  to: Address,
  command: Omit<Command, 'id'>,
): Promise<boolean> {
  const { bus, clock, ids, log, leaseHeld } = world;
  while (leaseHeld()) {
    try {
      const asked: Command = { ...command, type: String(command.type), id: ids.fresh('cmd') };
      const answer = await bus.ask(to, asked, { deadline: clock.now() + ASK_DEADLINE_MS });
      if (answer.status < 500) return true;
    } catch (cause) {
      log.warn({ ...to, command: command.type, error: describe(cause) }, 'not taken, asking again');
    }
    await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
  }
  return false;
}

interface ToldReceipt {
  readonly conversationId: string;
  readonly messageId: string;
  readonly receipt: Receipt;
  /** The network's own id of the contact, when this told it. */
  readonly networkId?: string | undefined;
}

export function insistOnReceipt(world: DeskWorld, told: ToldReceipt): Promise<boolean> {
  const { conversationId, messageId, receipt, networkId = null } = told;
  const command: Omit<ReceiptCommand, 'id'> = { type: 'receipt', messageId, receipt, networkId };
  return insist(world, { kind: 'conversation', key: conversationId }, command);
}

export function insistOnReadiness(
  world: DeskWorld,
  { orgId, ...said }: Omit<SetReadiness, 'type' | 'id'> & { readonly orgId: string },
): Promise<boolean> {
  const command = { type: 'set-readiness', ...said };
  return insist(world, { kind: 'organization', key: orgId }, command);
}

export function insistOnRestriction(
  world: DeskWorld,
  said: Pick<SetRestriction, 'channelId' | 'restriction'> & { readonly orgId: string },
): Promise<boolean> {
  const { orgId, channelId, restriction } = said;
  const command = { type: 'set-restriction', channelId, restriction };
  return insist(world, { kind: 'organization', key: orgId }, command);
}
