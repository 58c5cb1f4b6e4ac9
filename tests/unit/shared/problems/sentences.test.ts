/** Problems as codes: each language says the same of the same code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOf as ofPage } from '../../../../gateway/panel/browser/base/sentence-of.ts';
import { FINDINGS as PORTUGUESE } from '../../../../gateway/panel/browser/sentences/doctor.ts';
import { FINDINGS as ENGLISH } from '../../../../infra/programs/cli/checks/finding-sentences.ts';
import { sentenceOf } from '../../../../shared/problems/coded.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';

test('a finding has its values in both languages', () => {
  for (const [finding, english, portuguese] of [
    [
      { code: 'silent', params: { ids: ['prc_1', 'prc_2'], more: 0 } },
      'prc_1; prc_2 does not answer',
      'prc_1; prc_2 não responde',
    ],
    [{ code: 'actorsProcesses', params: { count: 1 } }, '1 actors process', '1 processo actors'],
    [{ code: 'actorsProcesses', params: { count: 2 } }, '2 actors processes', '2 processos actors'],
    [
      {
        code: 'mailUnreachable',
        params: { where: 'mx:25', cause: { code: 'mailClosed', params: {} } },
      },
      'mx:25 cannot be reached: it closed the connection.',
      'Não há como alcançar mx:25: ele fechou a conexão.',
    ],
    [{ code: 'foreign', params: { text: 'ECONNREFUSED' } }, 'ECONNREFUSED', 'ECONNREFUSED'],
  ] as const satisfies readonly (readonly [Finding, string, string])[]) {
    assert.equal(sentenceOf(ENGLISH, finding), english);
    assert.equal(ofPage(PORTUGUESE, finding), portuguese);
  }
});
