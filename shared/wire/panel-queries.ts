/** Payloads and answers of the queries that only the panel asks. */
import type { ChannelBacklog } from '../api/channel.ts';
import type { DeliveryStatus, DueTime, TaskStatus } from '../vocabulary.ts';
import type { Page } from './queries.ts';

/** Tasks by their due time, the earliest first; done ones the latest first. */
export interface ListDueTasks extends Page {
  readonly orgId: string;
  readonly timeZone: string;
  readonly status: TaskStatus;
  readonly due?: DueTime;
  readonly assigneeId?: string;
}

/** The open deals of a pipeline. */
export interface SumDeals {
  readonly orgId: string;
  readonly pipelineId: string;
}

export interface StageSum {
  readonly stageId: string;
  readonly count: number;
  readonly sumCents: number;
}

export interface ListBacklogs {
  readonly channelIds: readonly string[];
}

export interface Backlog {
  readonly channelId: string;
  readonly backlog: ChannelBacklog;
}

/** A page of deliveries, newest first. */
export interface PageDeliveries extends Page {
  readonly orgId: string;
  readonly subscription?: string;
  readonly status?: DeliveryStatus;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

export interface FindDeliveryOwners {
  readonly orgId: string;
  readonly ids: readonly string[];
}

/** The subscription of each delivery that is the organization's. */
export interface DeliveryOwners {
  readonly found: readonly { readonly id: string; readonly subscriptionId: string }[];
}
