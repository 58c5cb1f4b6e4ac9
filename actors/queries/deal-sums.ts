/** Sums of a board's columns: read from the index alone, some thousand deals at a time. */
import { answerOf } from '../../shared/wire/answer.ts';
import type { StageSum } from '../../shared/wire/panel-queries.ts';
import { placeOfLeft } from '../domain/organization.ts';
import type { Filter, Order } from '../model/collections.ts';
import { readOrganization } from '../organization/read-organization.ts';
import type { Query } from './lists/answer.ts';

const PART = 5_000;
/** Half a second of reading. With more deals the answer says that it is not complete. */
const SUMMED_MAX = 100_000;
const INDEX: Order<'deals'> = {
  ...{ 'state.orgId': 1, 'state.pipelineId': 1, 'state.status': 1 },
  ...{ 'state.stageId': 1, 'state.valueCents': 1, _id: 1 },
};
const ORDER = { 'state.stageId': 1, 'state.valueCents': 1, _id: 1 } as const;
const SUMMED = { _id: 1, 'state.stageId': 1, 'state.valueCents': 1 } as const;

/** `complete` is false where a board has more open deals than are summed. */
export const sumDeals: Query<'deal-sums'> = async ({ store }, { orgId, pipelineId }) => {
  const filter: Filter<'deals'> = {
    ...{ 'state.orgId': orgId, 'state.pipelineId': pipelineId, 'state.status': 'open' },
  };
  const sums = new Map<string, StageSum>();
  const organization = await readOrganization(store, orgId, ['leftStages']);
  let complete = false;
  for (let skip = 0; skip < SUMMED_MAX && !complete; skip += PART) {
    const options = { sort: ORDER, skip, limit: PART, project: SUMMED, index: INDEX };
    const part = await store.find('deals', filter, options);
    for (const { state } of part) {
      const { valueCents } = state;
      // The deals of a removed stage are on their way to another one.
      const place = placeOfLeft(organization?.leftStages, state.stageId);
      const { stageId } = place ?? state;
      const { count = 0, sumCents = 0 } = sums.get(stageId) ?? {};
      sums.set(stageId, { stageId, count: count + 1, sumCents: sumCents + valueCents });
    }
    complete = part.length < PART;
  }
  return answerOf({ data: [...sums.values()], complete });
};
