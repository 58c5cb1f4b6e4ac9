/** A deal as the API shows it. */
import type { Deal } from '../../shared/api/deal.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { DealState } from '../domain/deal.ts';
import type { ContactDocument } from '../model/contact.ts';

/** `{id, phone, name}` of a deal's contact; the id is that of the contact it was merged into. */
export function contactNameOf(
  id: string,
  contact: Pick<ContactDocument, '_id' | 'phone' | 'name'> | null | undefined,
): Deal['contact'] {
  return { id: contact?._id ?? id, phone: contact?.phone ?? '', name: contact?.name ?? null };
}

/** C2.9: property order is the document's. */
export function renderDeal(state: DealState, contact: Deal['contact']): Deal {
  return {
    id: state.id,
    title: state.title,
    valueCents: state.valueCents,
    status: state.status,
    pipelineId: state.pipelineId,
    stageId: state.stageId,
    contact,
    ownerId: state.ownerId,
    expectedCloseOn: state.expectedCloseOn,
    lostReason: state.lostReason,
    conversationId: state.conversationId,
    closedAt: state.closedAt === null ? null : timestamp(state.closedAt),
    createdAt: timestamp(state.createdAt),
    updatedAt: timestamp(state.updatedAt),
  };
}
