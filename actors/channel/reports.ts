/** Reports of a channel's desk to the organization about its network. */
import type { ChannelRestriction } from '../domain/channel-restriction.ts';
import type { ToldReadiness } from '../domain/network-readiness.ts';
import type { ChannelConfiguration, DeskWorld } from './configuration.ts';
import { insistOnReadiness, insistOnRestriction } from './insist.ts';

interface ReportingDesk {
  readonly channelId: string;
  readonly closed: boolean;
  configuration(): Promise<ChannelConfiguration | null>;
}

export interface DeskReports {
  readonly readiness: (told: ToldReadiness) => Promise<void>;
  /** Null: the network restricts nothing any more. */
  readonly restriction: (restriction: ChannelRestriction | null) => Promise<void>;
}

/** `onUnknown`: nobody has configured the channel. */
export function reportsOf(
  world: DeskWorld,
  deskOf: () => ReportingDesk,
  onUnknown: () => void,
): DeskReports {
  return {
    readiness: async (told) => {
      const desk = deskOf();
      const configuration = await desk.configuration();
      if (!configuration) onUnknown();
      if (!configuration || desk.closed) return;
      await insistOnReadiness(world, {
        orgId: configuration.orgId,
        channelId: desk.channelId,
        ...told,
      });
    },
    restriction: async (restriction) => {
      const desk = deskOf();
      const configuration = await desk.configuration();
      if (!configuration || desk.closed) return;
      const { orgId } = configuration;
      await insistOnRestriction(world, { orgId, channelId: desk.channelId, restriction });
    },
  };
}
