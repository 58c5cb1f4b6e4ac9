/**
 * Decisions about a deal: open, won or lost, and reopened (C3.3, C4.14, C4.15, D26).
 *
 * 1. A change is decided on the state before it, whole or not at all.
 * 2. The stage changes only while the deal is open, and only an open deal can be closed.
 * 3. One event per transition. Where nothing changes, there is no event and `updatedAt` stays.
 * 4. A deal that enters a stage is on top of it: `arrivedAt` only rises.
 * 5. The deals of a removed stage follow to another one (D440): an open one as if it was moved, a
 *    closed one without an event.
 */
import { CRM_SENTENCES } from '../../shared/api/deal.ts';
import { type Failure, failure, invalid } from '../../shared/failures.ts';
import type { DealStatus } from '../../shared/vocabulary.ts';
import type { ChangeDeal, CreateDeal } from '../../shared/wire/commands.ts';
import { isSame } from './is-same.ts';
import type { StagePosition } from './organization.ts';

type Settable = 'title' | 'valueCents' | 'ownerId' | 'expectedCloseOn';

/** The caller has checked that its conversation is one of its contact. */
export type NewDeal = Pick<CreateDeal, 'id' | 'orgId' | 'contactId' | 'conversationId' | Settable>;

export interface DealState extends NewDeal {
  readonly status: DealStatus;
  readonly pipelineId: string;
  readonly stageId: string;
  readonly lostReason: string | null;
  /** Order of a stage's board, newest on top. All times are epoch milliseconds. */
  readonly arrivedAt: number;
  readonly closedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

/** An absent property stays as it is. */
export type DealChange = Pick<ChangeDeal, Settable | 'stageId' | 'status' | 'lostReason'>;

/** Facts of the organization. */
export interface DealContext {
  readonly now: number;
  readonly isMember: (id: string) => boolean;
  readonly stage: (stageId: string) => StagePosition | null;
}

export type DealEvent =
  | { readonly event: 'deal.created' | 'deal.won' | 'deal.lost' | 'deal.reopened' }
  | Readonly<{ event: 'deal.stage_changed'; fromStageId: string; toStageId: string }>;

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

/** The deal of a removed stage, in the one that it follows to. */
export function decideFollow(
  state: DealState,
  to: StagePosition,
  now: number,
): Extract<DealDecision, { accepted: DealState }> {
  if (state.status !== 'open') {
    return { accepted: { ...state, ...to, version: state.version + 1 }, events: [] };
  }
  const at = Math.max(now, state.updatedAt);
  const { fields, events } = enter(state, to, at);
  return { accepted: { ...state, ...fields, updatedAt: at, version: state.version + 1 }, events };
}

function refuse(state: DealState, change: DealChange, { isMember, stage }: DealContext) {
  const refusal = refuseNonMember(change.ownerId ?? null, isMember);
  if (refusal) return refusal;
  const { stageId, status } = change;
  if (stageId !== undefined && !stage(stageId)) return failure('stage_not_found');
  if (state.status === 'open') return null;
  if (stageId !== undefined) return failure('closed_deal_moved');
  return status === 'won' || status === 'lost' ? failure('deal_closed') : null;
}

function refuseNonMember(ownerId: string | null, isMember: DealContext['isMember']) {
  if (ownerId === null || isMember(ownerId)) return null;
  return invalid({ path: 'ownerId', message: CRM_SENTENCES.notMember });
}

interface Transition {
  readonly fields: Partial<DealState>;
  readonly events: readonly DealEvent[];
}

const NO_TRANSITION: Transition = { fields: {}, events: [] };

function changeStage(state: DealState, change: DealChange, context: DealContext): Transition {
  const to = change.stageId === undefined ? null : context.stage(change.stageId);
  if (!to || to.stageId === state.stageId) return NO_TRANSITION;
  return enter(state, to, context.now);
}

function enter(state: DealState, { pipelineId, stageId }: StagePosition, now: number): Transition {
  const fromStageId = state.stageId;
  return {
    fields: { pipelineId, stageId, arrivedAt: Math.max(now, state.arrivedAt + 1) },
    events: [{ event: 'deal.stage_changed', fromStageId, toStageId: stageId }],
  };
}

const EVENT_OF = { won: 'deal.won', lost: 'deal.lost', open: 'deal.reopened' } as const;

function changeStatus(state: DealState, change: DealChange, now: number): Transition {
  const { status } = change;
  if (status === undefined || status === state.status) return NO_TRANSITION;
  const closedAt = status === 'open' ? null : now;
  const lostReason = status === 'lost' ? (change.lostReason ?? null) : null;
  return { fields: { status, closedAt, lostReason }, events: [{ event: EVENT_OF[status] }] };
}
