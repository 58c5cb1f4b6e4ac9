/** `recado runs stop` asks under one id until an owner lives long enough to answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addRuns } from '../../../../../../infra/programs/cli/conversations/runs.ts';
import type { Printing } from '../../../../../../infra/programs/cli/output/printing.ts';
import type { Service } from '../../../../../../infra/programs/cli/service/service.ts';
import { type Answer, AskFailed } from '../../../../../../shared/ports/bus.ts';

const STATE = {
  ...{ conversationId: 'cnv_1', changed: true, status: 'open', assignedTo: null },
  ...{ participants: [], unread: 0, automationPausedUntil: null },
};

/** What the command shows where each ask in turn is answered so, and the ids of the asks. */
async function stopped(answers: readonly (Answer | Error)[]) {
  const left = [...answers];
  const asked: unknown[] = [];
  const shown: unknown[] = [];
  let fresh = 0;
  const service = {
    ids: { fresh: () => `cmd_${fresh++}` },
    ask: async (_to: object, command: { readonly id?: string }) => {
      asked.push(command.id);
      const answer = left.shift() ?? assert.fail('asked once more');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as Service;
  const show = async (ask: (service: Service) => Promise<unknown>) =>
    shown.push(await ask(service));
  const program = new Command().exitOverride();
  addRuns(program, { show } as unknown as Printing);
  await program.parseAsync(['runs', 'stop', 'cnv_1'], { from: 'user' });
  return { asked, shown };
}

test('an owner that dies of the run, or answers a fault, is asked again under the same id', async () => {
  const done = { status: 200, body: JSON.stringify(STATE) };
  const answers = [new AskFailed('no answer'), { status: 500, body: '{}' }, done];
  assert.deepEqual(await stopped(answers), { asked: ['cmd_0', 'cmd_0', 'cmd_0'], shown: [STATE] });
});

test('a refusal is told at once', async () => {
  await assert.rejects(stopped([{ status: 404, body: '{}' }]), /no conversation "cnv_1"/);
});
