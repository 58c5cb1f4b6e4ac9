/** Reports of a channel that must reach the addressed actor: asked until acknowledged. */
import type { Address, Command } from '../../shared/ports/bus.ts';
import type { ReceiptCommand } from '../conversation/commands.ts';
import type { Receipt } from '../domain/receipt.ts';
import type { SetReadiness, SetRestriction } from '../organization/commands.ts';
import { askUntilAcknowledged } from '../runtime/ask-until-acknowledged.ts';
import type { ChannelEnvironment } from './configuration.ts';

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
  return submit(environment, { kind: 'conversation', key: conversationId }, command);
}

export function submitReadiness(
  environment: ChannelEnvironment,
  { orgId, ...report }: Omit<SetReadiness, 'type' | 'id'> & { readonly orgId: string },
): Promise<boolean> {
  const command = { type: 'set-readiness', ...report };
  return submit(environment, { kind: 'organization', key: orgId }, command);
}

export function submitRestriction(
  environment: ChannelEnvironment,
  report: Pick<SetRestriction, 'channelId' | 'restriction'> & { readonly orgId: string },
): Promise<boolean> {
  const { orgId, channelId, restriction } = report;
  const command = { type: 'set-restriction', channelId, restriction };
  return submit(environment, { kind: 'organization', key: orgId }, command);
}

/** False where the lease has ended. */
async function submit(
  environment: ChannelEnvironment,
  to: Address,
  command: Omit<Command, 'id'>,
): Promise<boolean> {
  const answer = await askUntilAcknowledged(environment, {
    to,
    command: { ...command, type: String(command.type), id: environment.ids.fresh('cmd') },
    mayAct: () => environment.leaseHeld(),
    failedMessage: 'ask not acknowledged, repeated',
  });
  return answer !== null;
}
