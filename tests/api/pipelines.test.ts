/** Pipelines over the real stack (C2.8, C4.12). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { ListPipelinesAnswer } from '../../shared/api/pipeline.ts';
import { organizations } from '../support/organization.ts';
import { shareStack } from '../support/shared-stack.ts';
import type { Stack } from '../support/stack.ts';
import { type CrmFixture, crmFixtureOf } from './crm-fixture.ts';

let stack: Stack;
let race: CrmFixture;

before(async () => {
  stack = await shareStack();
  race = crmFixtureOf(stack, (await organizations(stack, { race: {} })).race);
});
after(() => stack?.stop());

describe('GET /api/v1/pipelines (contract section 4)', () => {
  test('the default one is created on the first read, exactly one under any race', async () => {
    const reads = Array.from({ length: 40 }, () => race.get('pipelines'));
    const creates = Array.from({ length: 10 }, () => race.deal());
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
    for (const deal of await Promise.all(creates)) {
      assert.deepEqual([deal.pipelineId, deal.stageId], [data[0]?.id, data[0]?.stages[0]?.id]);
    }
  });
});
