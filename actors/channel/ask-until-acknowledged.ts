/**
 * Repeats the ask until it is acknowledged or the lease ends. A channel's report must reach the
 * addressed actor.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Address, Command } from '../../shared/ports/bus.ts';
import type { ReceiptCommand } from '../conversation/commands.ts';
import type { Receipt } from '../domain/receipt.ts';
import type { SetReadiness, SetRestriction } from '../organization/commands.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { ChannelEnvironment } from './configuration.ts';

const RETRY_MS = 200;

async function askUntilAcknowledged(
  environment: ChannelEnvironment,
  to: Address,
  command: Omit<Command, 'id'>,
): Promise<boolean> {
  const { bus, clock, ids, log, leaseHeld } = environment;
  while (leaseHeld()) {
    try {
      const asked: Command = { ...command, type: String(command.type), id: ids.fresh('cmd') };
      const answer = await bus.ask(to, asked, { deadline: clock.now() + ASK_DEADLINE_MS });
      if (answer.status < 500) return true;
    } catch (cause) {
      log.warn(
        { ...to, command: command.type, error: describe(cause) },
        'ask not acknowledged, repeated',
      );
    }
    await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
  }
  return false;
}

interface ReceiptReport {
  readonly conversationId: string;
  readonly messageId: string;
  readonly receipt: Receipt;
  /** The network's own id of the contact, where the receipt shows it. */
  readonly networkId?: string | undefined;
}

export function submitReceipt(
  environment: ChannelEnvironment,
  report: ReceiptReport,
): Promise<boolean> {
  const { conversationId, messageId, receipt, networkId = null } = report;
  const command: Omit<ReceiptCommand, 'id'> = { type: 'receipt', messageId, receipt, networkId };
  return askUntilAcknowledged(environment, { kind: 'conversation', key: conversationId }, command);
}

export function submitReadiness(
  environment: ChannelEnvironment,
  { orgId, ...report }: Omit<SetReadiness, 'type' | 'id'> & { readonly orgId: string },
): Promise<boolean> {
  const command = { type: 'set-readiness', ...report };
  return askUntilAcknowledged(environment, { kind: 'organization', key: orgId }, command);
}

export function submitRestriction(
  environment: ChannelEnvironment,
  report: Pick<SetRestriction, 'channelId' | 'restriction'> & { readonly orgId: string },
): Promise<boolean> {
  const { orgId, channelId, restriction } = report;
  const command = { type: 'set-restriction', channelId, restriction };
  return askUntilAcknowledged(environment, { kind: 'organization', key: orgId }, command);
}
