/** Authorship of a call: of its one command, and of each command of a run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actingAs, actingAssistant, actingPerson } from '../../../gateway/acting.ts';
import { jsonReply } from '../../../gateway/http/respond.ts';
import { type Ask, answered, type Plan, type Run } from '../../../gateway/route.ts';
import { ACCOUNT } from '../../support/gateway/gateway-fixture.ts';

const BY = {
  memberId: 'mbr_1',
  name: 'Ana',
  role: 'admin',
  sessionId: 'ses_1',
  ...{ address: '192.0.2.1', operation: 'endSession' },
} as const;
const ENDING = {
  to: 'actor',
  address: { kind: 'organization', key: 'org_1' },
  command: { id: 'cmd_1', type: 'end-session', sessionId: 'ses_2' },
} as const;
const READING = { to: 'query', resource: 'pipelines', payload: { orgId: 'org_1' } } as const;

/** What is asked, and on which terms. */
async function asked(wanted: Plan | Run) {
  const told: unknown[] = [];
  const ask: Ask = async (plan, terms) => {
    told.push([plan, terms]);
    return jsonReply(200, {});
  };
  await answered(actingAs(BY, wanted), ask);
  return told;
}

const MARKED = { ...ENDING, command: { ...ENDING.command, by: BY } };

test('the command of a plan has its person', async () => {
  assert.deepEqual(await asked(ENDING), [[MARKED, undefined]]);
});

test('every command of a run has its person, on its own terms, and no query has', async () => {
  const terms = { effectStays: true };
  const run: Run = async (ask) => {
    await ask(ENDING, terms);
    await ask(READING);
    return ask(ENDING);
  };
  const wanted = [
    [MARKED, terms],
    [READING, undefined],
    [MARKED, undefined],
  ];
  assert.deepEqual(await asked(run), wanted);
});

test('an assistant’s key acts under its name, and another key does not act', () => {
  const call = { operation: 'sendMessage', address: '192.0.2.1' };
  assert.deepEqual(actingAssistant({ ...ACCOUNT, assistant: true }, call), {
    ...{ memberId: null, role: null, sessionId: null, name: 'ERP' },
    ...{ ...call, origin: 'assistant' },
  });
  assert.equal(actingAssistant(ACCOUNT, call), null);
  assert.throws(() => actingPerson(ACCOUNT, call));
});
