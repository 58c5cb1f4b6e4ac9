/** Document of a deal. */
import type { DealState } from '../domain/deal.ts';
import type { EntityDocument } from './entity.ts';

export type StoredDeal = EntityDocument<DealState>;
