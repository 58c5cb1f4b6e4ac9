/** Reports of a channel sender about its network, to the organization. */
import type { ChannelRestriction } from '../domain/channel-restriction.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';
import { submitReadiness, submitRestriction } from './submit-report.ts';

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

/** `onUnknown`: the channel has no configuration. */
export function reportsOf(
  environment: ChannelEnvironment,
  senderOf: () => ReportingSender,
  onUnknown: () => void,
): NetworkReports {
  return {
    readiness: async (report) => {
      const sender = senderOf();
      const configuration = await sender.configuration();
      if (!configuration) onUnknown();
      if (!configuration || sender.closed) return;
      await submitReadiness(environment, {
        orgId: configuration.orgId,
        channelId: sender.channelId,
        ...report,
      });
    },
    restriction: async (restriction) => {
      const sender = senderOf();
      const configuration = await sender.configuration();
      if (!configuration || sender.closed) return;
      const { orgId } = configuration;
      await submitRestriction(environment, { orgId, channelId: sender.channelId, restriction });
    },
  };
}
