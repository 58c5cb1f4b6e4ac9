/** Reports of a channel that must reach the addressed actor: asked until acknowledged. */
import type { Address, CommandOf } from '../../shared/ports/bus.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import type { ChannelRestriction } from '../domain/channel-restriction.ts';
import type { Receipt } from '../domain/network-message.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { SetReadiness, SetRestriction } from '../organization/api.ts';
import { askUntilAcknowledged } from '../runtime/repeat.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';

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
  const id = environment.ids.fresh('cmd');
  const to = { kind: 'conversation', key: conversationId } as const;
  return submit(environment, to, { id, type: 'receipt', messageId, receipt, networkId });
}

/** False where the lease has ended. */
async function submit<Kind extends ActorKind>(
  environment: ChannelEnvironment,
  to: Address<Kind>,
  command: CommandOf<Kind>,
): Promise<boolean> {
  const answer = await askUntilAcknowledged(environment, {
    to,
    command,
    mayAct: () => environment.leaseHeld(),
    failedMessage: 'ask not acknowledged, repeated',
  });
  return answer !== null;
}

interface ReportingSender {
  readonly channelId: string;
  readonly closed: boolean;
  configuration(): Promise<ChannelConfiguration | null>;
}

export interface NetworkReports {
  readonly readiness: (report: ReadinessReport) => Promise<void>;
  /** Null: the network restricts nothing any more. */
  readonly restriction: (restriction: ChannelRestriction | null) => Promise<void>;
}

type OwnReport<Report> = Omit<Report, 'id' | 'channelId'>;

/** `onUnknown`: the channel has no configuration. */
export function reportsOf(
  environment: ChannelEnvironment,
  senderOf: () => ReportingSender,
  onUnknown: () => void,
): NetworkReports {
  const submitOwn = async (report: OwnReport<SetReadiness> | OwnReport<SetRestriction>) => {
    const sender = senderOf();
    const configuration = await sender.configuration();
    if (!configuration && report.type === 'set-readiness') onUnknown();
    if (!configuration || sender.closed) return;
    const to = { kind: 'organization', key: configuration.orgId } as const;
    const id = environment.ids.fresh('cmd');
    await submit(environment, to, { id, channelId: sender.channelId, ...report });
  };
  return {
    readiness: (report) => submitOwn({ type: 'set-readiness', ...report }),
    restriction: (restriction) => submitOwn({ type: 'set-restriction', restriction }),
  };
}
