/** Deals as the board reads and changes them. */
import type { Deal } from '../../../../shared/api/deal.ts';
import type { Pipeline } from '../../../../shared/api/pipeline.ts';
import { call, type Outcome, query } from '../base/call.ts';
import type { Data, Page } from '../conversations/state/api.ts';
import { changed } from '../live.ts';

export type { Deal, Pipeline };
export type Stage = Pipeline['stages'][number];

export interface StageSum {
  readonly stageId: string;
  readonly count: number;
  readonly sumCents: number;
}

export const TITLE_MAX_CHARS = 120;

/** Deals of a column that are shown; its head counts all. */
export const COLUMN_LIMIT = 100;

export function columnPath(pipelineId: string, stageId: string): string {
  return `/api/v1/deals${query({ status: 'open', pipelineId, stageId, limit: COLUMN_LIMIT })}`;
}

export function sumsPath(pipelineId: string): string {
  return `/panel/api/deals/sums${query({ pipelineId })}`;
}

export type Column = Page<Deal>;

type Change = Readonly<Record<string, unknown>>;

export type DealChange = Partial<
  Pick<
    Deal,
    'stageId' | 'status' | 'lostReason' | 'title' | 'valueCents' | 'ownerId' | 'expectedCloseOn'
  >
>;

/** What is shown of a pipeline: the board of the open deals, or a list. */
export type Situation = 'open' | 'won' | 'lost' | 'all';

const CLOSED_LIMIT = 50;

export function listPath(pipelineId: string, situation: Situation, page: number): string {
  const status = situation === 'all' ? undefined : situation;
  return `/api/v1/deals${query({ status, pipelineId, page, limit: CLOSED_LIMIT })}`;
}

/** Its conversation, or the conversations of its contact. */
export function conversationPathOf({ conversationId, contact }: Deal): string {
  if (conversationId !== null) return `/conversas/${conversationId}`;
  return `/conversas?query=${encodeURIComponent(contact.phone)}`;
}

export async function changeDeal(id: string, body: DealChange): Promise<Outcome<Data<Deal>>> {
  const path = `/api/v1/deals/${encodeURIComponent(id)}`;
  const outcome = await call<Data<Deal>>('POST', path, { body });
  changed('deal', id);
  return outcome;
}

export async function createDeal(
  body: Change,
  idempotencyKey: string,
): Promise<Outcome<Data<Deal>>> {
  const outcome = await call<Data<Deal>>('POST', '/api/v1/deals', { body, idempotencyKey });
  if (outcome.ok) changed('deal', outcome.body.data.id);
  return outcome;
}
