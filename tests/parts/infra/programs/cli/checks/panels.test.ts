/** The panel's row of `recado doctor`: which of this machine's processes are silent. */
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { tellRow } from '../../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { checkPanels as rowOf } from '../../../../../../infra/programs/cli/checks/panels.ts';
import { panelAddress } from '../../../../../../infra/programs/cli/service/panel-reports.ts';

const HERE = hostname();
const ELSEWHERE = `not-${HERE}`;

const checkPanels = async (...given: Parameters<typeof rowOf>) => tellRow(await rowOf(...given));

function report(pid: number, host = HERE) {
  return { id: `panel-${host}-${pid}`, host, pid, url: 'http://127.0.0.1:1' };
}

/** Answers one after the other, as processes of the bus do. */
function answering(...reports: readonly object[]) {
  return {
    askAll(_topic: string, onAnswer: (answer: unknown) => void) {
      for (const each of reports) setImmediate(onAnswer, each);
      return () => undefined;
    },
  };
}

test('other machines do not answer for a silent process, nor end the wait', async () => {
  const others = [report(8, ELSEWHERE), report(9, ELSEWHERE)];
  const silent = await checkPanels(answering(...others, report(7)), [7, 8]);
  assert.equal(silent.ok, false);
  assert.match(silent.detail, /^process 8 of the panel: no answer; 3 processes at/);
  const late = await checkPanels(answering(...others, report(7), report(8)), [7, 8]);
  assert.equal(late.ok, true, late.detail);
});

test('a service without a panel passes, and another machine’s is counted', async () => {
  const none = await checkPanels(answering(), []);
  assert.deepEqual([none.ok, none.detail], [true, 'none runs']);
  const remote = await checkPanels(answering(report(8, ELSEWHERE)), null);
  assert.match(remote.detail, /^1 process at/);
});

test('a proxy that is not believed is named, with the setting', async () => {
  const untrustedProxy = '203.0.113.1';
  const told = await checkPanels(answering({ ...report(7), untrustedProxy }, report(8)), [7, 8]);
  assert.equal(told.ok, false);
  assert.match(told.detail, /^203\.0\.113\.1 forwards addresses and is not believed; 2 processes/);
  assert.match(told.remedy ?? '', /PANEL_TRUSTED_PROXIES/);
});

test('a link leads to a panel that answers, and to none where none does', async () => {
  assert.equal(await panelAddress(answering(report(8, ELSEWHERE))), 'http://127.0.0.1:1');
  const none = [answering(), answering({ pid: 'strange' })].map(panelAddress);
  assert.deepEqual(await Promise.all(none), [null, null]);
});
