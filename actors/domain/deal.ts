/**
 * Decisions about a deal: open, won or lost, and reopened.
 *
 * 1. A change is decided on the state before it, whole or not at all.
 * 2. The stage changes only while the deal is open, and only an open deal can be closed.
 * 3. One event per transition. Where nothing changes, there is no event and `updatedAt` stays.
 * 4. A deal that enters a stage is on top of it: `arrivedAt` only rises.
 *
 * C3.3, C4.14, C4.15, D26.
 */

import { CRM_SENTENCES } from '../../shared/api/deal.ts';
import { type Failure, failure, invalid } from '../../shared/failures.ts';
import type { DealStatus } from '../../shared/vocabulary.ts';
import type { StagePosition } from './pipeline.ts';

export interface DealState {
  readonly id: string;
  readonly orgId: string;
  readonly title: string;
  readonly valueCents: number;
  readonly status: DealStatus;
  readonly pipelineId: string;
  readonly stageId: string;
  readonly contactId: string;
  readonly ownerId: string | null;
  /** `YYYY-MM-DD`. */
  readonly expectedCloseOn: string | null;
  readonly lostReason: string | null;
  readonly conversationId: string | null;
  /** Order of a stage's board, newest on top. All times are epoch milliseconds. */
  readonly arrivedAt: number;
  readonly closedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

export interface NewDeal {
  readonly id: string;
  readonly orgId: string;
  readonly contactId: string;
  readonly title: string;
  readonly valueCents: number;
  readonly ownerId: string | null;
  readonly expectedCloseOn: string | null;
  /** A conversation of that contact; the caller has checked it. */
  readonly conversationId: string | null;
}

/** An absent property stays as it is. */
export interface DealChange {
  readonly title?: string;
  readonly valueCents?: number;
  readonly ownerId?: string | null;
  readonly expectedCloseOn?: string | null;
  readonly stageId?: string;
  readonly status?: DealStatus;
  readonly lostReason?: string;
}

/** Facts of the organization. */
export interface DealContext {
  readonly now: number;
  readonly isMember: (id: string) => boolean;
  readonly stage: (stageId: string) => StagePosition | null;
}

export type DealEvent =
  | { readonly event: 'deal.created' | 'deal.won' | 'deal.lost' | 'deal.reopened' }
  | {
      readonly event: 'deal.stage_changed';
      readonly fromStageId: string;
      readonly toStageId: string;
    };

export type DealDecision =
  | { readonly refused: Failure }
  /** Without events and with the state as it was, there is nothing to commit. */
  | { readonly accepted: DealState; readonly events: readonly DealEvent[] };

/** @param stage its first stage; null when the caller named a stage that does not exist */
export function decideCreate(
  deal: NewDeal,
  stage: StagePosition | null,
  { now, isMember }: Pick<DealContext, 'now' | 'isMember'>,
): DealDecision {
  const refusal = refuseNonMember(deal.ownerId, isMember);
  if (refusal) return { refused: refusal };
  if (!stage) return { refused: failure('stage_not_found') };
  const accepted: DealState = {
    ...deal,
    status: 'open',
    ...stage,
    lostReason: null,
    arrivedAt: now,
    closedAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  return { accepted, events: [{ event: 'deal.created' }] };
}

export function decideChange(
  state: DealState,
  change: DealChange,
  context: DealContext,
): DealDecision {
  const refused = refuse(state, change, context);
  if (refused) return { refused };
  const { title, valueCents, ownerId, expectedCloseOn } = change;
  const now = Math.max(context.now, state.updatedAt);
  const stageChange = changeStage(state, change, { ...context, now });
  const statusChange = changeStatus(state, change, now);
  const next: DealState = {
    ...state,
    title: title ?? state.title,
    valueCents: valueCents ?? state.valueCents,
    ownerId: ownerId === undefined ? state.ownerId : ownerId,
    expectedCloseOn: expectedCloseOn === undefined ? state.expectedCloseOn : expectedCloseOn,
    ...stageChange.fields,
    ...statusChange.fields,
  };
  const events = [...stageChange.events, ...statusChange.events];
  if (events.length === 0 && isSame(state, next)) return { accepted: state, events };
  return { accepted: { ...next, updatedAt: now, version: state.version + 1 }, events };
}

function refuse(
  state: DealState,
  change: DealChange,
  { isMember, stage }: DealContext,
): Failure | null {
  const refusal = refuseNonMember(change.ownerId ?? null, isMember);
  if (refusal) return refusal;
  const { stageId, status } = change;
  if (stageId !== undefined && !stage(stageId)) return failure('stage_not_found');
  if (state.status === 'open') return null;
  if (stageId !== undefined) return failure('closed_deal_moved');
  return status === 'won' || status === 'lost' ? failure('deal_closed') : null;
}

function refuseNonMember(
  ownerId: string | null,
  isMember: (id: string) => boolean,
): Failure | null {
  if (ownerId === null || isMember(ownerId)) return null;
  return invalid({ path: 'ownerId', message: CRM_SENTENCES.notMember });
}

interface Transition {
  readonly fields: Partial<DealState>;
  readonly events: readonly DealEvent[];
}

const NO_TRANSITION: Transition = { fields: {}, events: [] };

function changeStage(
  state: DealState,
  change: DealChange,
  { now, stage }: DealContext,
): Transition {
  const to = change.stageId === undefined ? null : stage(change.stageId);
  if (!to || to.stageId === state.stageId) return NO_TRANSITION;
  const { pipelineId, stageId } = to;
  const fromStageId = state.stageId;
  return {
    fields: { pipelineId, stageId, arrivedAt: Math.max(now, state.arrivedAt + 1) },
    events: [{ event: 'deal.stage_changed', fromStageId, toStageId: stageId }],
  };
}

function changeStatus(
  state: DealState,
  { status, lostReason }: DealChange,
  now: number,
): Transition {
  if (status === undefined || status === state.status) return NO_TRANSITION;
  switch (status) {
    case 'won':
      return { fields: { status, closedAt: now }, events: [{ event: 'deal.won' }] };
    case 'lost':
      return {
        fields: { status, closedAt: now, lostReason: lostReason ?? null },
        events: [{ event: 'deal.lost' }],
      };
    case 'open':
      return {
        fields: { status, closedAt: null, lostReason: null },
        events: [{ event: 'deal.reopened' }],
      };
    default:
      return status satisfies never;
  }
}

function isSame(a: DealState, b: DealState): boolean {
  return (
    a.title === b.title &&
    a.valueCents === b.valueCents &&
    a.ownerId === b.ownerId &&
    a.expectedCloseOn === b.expectedCloseOn
  );
}
