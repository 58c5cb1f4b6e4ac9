/** Document of a deal. */
import type { DealState } from '../domain/deal.ts';
import type { EntityDocument } from './entity.ts';

export interface DealCollections {
  readonly deals: EntityDocument<DealState>;
}
