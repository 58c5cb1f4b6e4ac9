/** Reports of a channel that must reach the addressed actor: asked until acknowledged. */
import type { Address, CommandOf } from '../../../shared/ports/bus.ts';
import type { Restriction } from '../../../shared/ports/network-event.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import type { ChannelRestriction } from '../../domain/channel-restriction.ts';
import type { ReadinessReport } from '../../domain/network-readiness.ts';
import type { SetReadiness, SetRestriction } from '../../model/organization.ts';
import { askUntilAcknowledged } from '../../runtime/repeat.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';

/** False where the lease has ended. */
export async function submitReport<Kind extends ActorKind>(
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

interface ReportingChannel {
  readonly channelId: string;
  readonly isClosed: () => boolean;
  readonly configuration: () => Promise<ChannelConfiguration | null>;
  /** The channel has no configuration. */
  readonly onUnknown: () => void;
}

export interface NetworkReports {
  readonly readiness: (report: ReadinessReport) => Promise<void>;
  /** Null: the network restricts nothing any more, of new conversations or for that cause. */
  readonly restriction: (
    restriction: ChannelRestriction | null,
    cause?: Restriction['cause'],
  ) => Promise<void>;
}

type OwnReport<Report> = Omit<Report, 'id' | 'channelId'>;

export function reportsOf(
  environment: ChannelEnvironment,
  { channelId, isClosed, configuration, onUnknown }: ReportingChannel,
): NetworkReports {
  const submitOwn = async (report: OwnReport<SetReadiness> | OwnReport<SetRestriction>) => {
    const known = await configuration();
    if (!known && report.type === 'set-readiness') onUnknown();
    if (!known || isClosed()) return;
    const to = { kind: 'organization', key: known.orgId } as const;
    const id = environment.ids.fresh('cmd');
    await submitReport(environment, to, { id, channelId, ...report });
  };
  return {
    readiness: (report) => submitOwn({ type: 'set-readiness', ...report }),
    restriction: (restriction, cause) => {
      const of = cause === undefined ? {} : { cause };
      return submitOwn({ type: 'set-restriction', restriction, ...of });
    },
  };
}
