import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOfDeal } from '../../../../../actors/domain/flow/unable.ts';

describe('the log of a step that is not possible', () => {
  const table = [
    ['stage_not_found', true],
    ['deal_not_found', true],
    ['deal_closed', true],
    ['not_on_web', false],
    ['content_invalid', false],
    ['template_refused', false],
    ['window_closed', false],
    ['nothing_received', false],
  ] as const;
  for (const [reason, expected] of table) {
    it(`says of ${reason} that it is ${expected ? 'a deal' : 'a message'}`, () => {
      assert.equal(isOfDeal(reason), expected);
    });
  }
});
