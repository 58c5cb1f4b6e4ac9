/** Pipelines over the real stack (C2.8, C4.12). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { DealAnswer } from '../../../shared/api/deal.ts';
import { ListPipelinesAnswer } from '../../../shared/api/pipeline.ts';
import { crmFixtureOf } from '../../support/api/crm-fixture.ts';
import type { Answer } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const { org } = useOrganizations(stack, { org: {} });
const race = crmFixtureOf(stack, org);

async function contacts(count: number): Promise<readonly string[]> {
  const phones: string[] = [];
  while (phones.length < count) phones.push((await race.contact()).phone);
  return phones;
}

function create(phone: string): Promise<Answer> {
  const body = { title: 'Plano', phone };
  return stack.call('POST', '/api/v1/deals', { key: org.key, body });
}

describe('GET /api/v1/pipelines (contract section 4)', () => {
  test('the default one is created on the first read, exactly one under any race', async () => {
    const phones = await contacts(10);
    const reads = Array.from({ length: 40 }, () => race.get('pipelines'));
    const creates = phones.map(create);
    const answers = await Promise.all(reads);
    const [first] = answers;
    for (const { text } of answers) assert.equal(text, first?.text);
    const { data } = v.parse(ListPipelinesAnswer, first?.json);
    assert.equal(data.length, 1);
    assert.deepEqual([data[0]?.name, data[0]?.isDefault], ['Funil de vendas', true]);
    assert.deepEqual(
      data[0]?.stages.map(({ name, position }) => `${position} ${name}`),
      ['0 Novo', '1 Em contato', '2 Proposta', '3 Negociação'],
    );
    for (const { status, text, json } of await Promise.all(creates)) {
      assert.equal(status, 201, text);
      const deal = v.parse(DealAnswer, json).data;
      assert.deepEqual([deal.pipelineId, deal.stageId], [data[0]?.id, data[0]?.stages[0]?.id]);
    }
  });
});
