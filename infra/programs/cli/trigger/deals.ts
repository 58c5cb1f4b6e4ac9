/** Events of deals, by the commands of `POST /api/v1/deals` and `POST /api/v1/deals/{id}`. */
import { type Deal, DealAnswer } from '../../../../shared/api/deal.ts';
import { ListPipelinesAnswer } from '../../../../shared/api/pipeline.ts';
import { conversationId } from '../../../../shared/entity-ids.ts';
import type { ChangeDeal } from '../../../../shared/wire/commands.ts';
import { readAnswer } from '../service/answer.ts';
import { ServiceFailed } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import { ensureContact } from './contacts.ts';
import type { Made, Provocation } from './provocation.ts';

/** In the language of the organization's people, who see it. */
const LOST_REASON = 'Teste de evento';

export async function createDeal(provocation: Provocation): Promise<Made> {
  return madeOf(await create(provocation));
}

export async function moveDeal(provocation: Provocation): Promise<Made> {
  const deal = await create(provocation);
  const toStageId = await otherStage(provocation, deal);
  await change(provocation, deal, { stageId: toStageId });
  return { ...madeOf(deal), fromStageId: deal.stageId, toStageId };
}

export async function winDeal(provocation: Provocation): Promise<Made> {
  const deal = await create(provocation);
  await change(provocation, deal, { status: 'won' });
  return madeOf(deal);
}

export async function loseDeal(provocation: Provocation): Promise<Made> {
  const deal = await create(provocation);
  await change(provocation, deal, { status: 'lost', lostReason: LOST_REASON });
  return madeOf(deal);
}

export async function reopenDeal(provocation: Provocation): Promise<Made> {
  const deal = await create(provocation);
  await change(provocation, deal, { status: 'won' });
  await change(provocation, deal, { status: 'open' });
  return madeOf(deal);
}

function madeOf({ id, contact }: Deal): Made {
  return { dealId: id, contactId: contact.id };
}

/** In the first stage, and of the contact's conversation on the channel where there is one. */
async function create({ service, target, text }: Provocation): Promise<Deal> {
  const { orgId, channelId } = target;
  const contact = await ensureContact(service, target);
  const id = service.ids.fresh('deal');
  const answer = await service.ask(
    { kind: 'deal', key: id },
    {
      ...{ id, type: 'create', orgId, contactId: contact.id, title: text, valueCents: 0 },
      ...{ stageId: null, ownerId: null, expectedCloseOn: null },
      conversationId: conversationId(service.ids, channelId, contact.id),
      ...{ origin: 'panel', ...operatorAs('createDeal') },
    },
  );
  return readAnswer(DealAnswer, answer).data;
}

type Change = Pick<ChangeDeal, 'stageId' | 'status' | 'lostReason'>;

async function change(
  { service, target }: Provocation,
  { id }: Deal,
  fields: Change,
): Promise<void> {
  const answer = await service.ask(
    { kind: 'deal', key: id },
    {
      ...{ type: 'change', orgId: target.orgId, ...fields },
      ...{ origin: 'panel', ...operatorAs('changeDeal') },
    },
  );
  readAnswer(DealAnswer, answer);
}

/** The stage after it in its pipeline, or any other one. */
async function otherStage({ service, target }: Provocation, deal: Deal): Promise<string> {
  const answer = await service.query('pipelines', { orgId: target.orgId });
  const { data } = readAnswer(ListPipelinesAnswer, answer);
  const own = data.find(({ id }) => id === deal.pipelineId);
  const others = data.filter(({ id }) => id !== deal.pipelineId);
  const stages = [own, ...others].flatMap((pipeline) => pipeline?.stages ?? []);
  const other = stages.find(({ id }) => id !== deal.stageId);
  if (other === undefined) throw new ServiceFailed('The organization has no other stage.');
  return other.id;
}
