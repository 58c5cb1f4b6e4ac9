/** Document of a deal, and the command that actors ask of it. */
import type { Command } from '../../shared/ports/bus.ts';
import type { Acknowledged, Exchange } from '../../shared/wire/command-map.ts';
import type { DealState } from '../domain/deal.ts';
import type { EntityDocument } from './entity.ts';

export interface AskedOfDeals {
  readonly follow: Exchange<FollowStage, Acknowledged>;
}

/** The deal's stage may have been removed: it follows to the one in its place (D440). */
export interface FollowStage extends Command {
  readonly type: 'follow';
  readonly orgId: string;
}

export type StoredDeal = EntityDocument<DealState>;
