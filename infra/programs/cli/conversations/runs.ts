/** `recado runs stop`: ends the flow run of a conversation by hand. */
import type { Command } from 'commander';
import { type Answer, AskFailed } from '../../../../shared/ports/bus.ts';
import { systemClock } from '../../../adapters/clock/clock.ts';
import { group } from '../output/group.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { badInput } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import type { Service } from '../service/service.ts';
import { answerSchema } from './conversations.ts';

/** A run that ends its owner again and again leaves some seconds between two owners. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 200;

/** Asks under one id until an owner lives long enough to answer. */
async function askPatiently(service: Service, conversationId: string): Promise<Answer> {
  const to = { kind: 'conversation', key: conversationId } as const;
  const id = service.ids.fresh('cmd');
  const until = systemClock.now() + PATIENCE_MS;
  for (;;) {
    const isLast = () => systemClock.now() >= until;
    try {
      const answer = await service.ask(to, { type: 'stop-run', id, ...operatorAs('stopRun') });
      if (answer.status < 500 || isLast()) return answer;
    } catch (cause) {
      if (!(cause instanceof AskFailed) || isLast()) throw cause;
    }
    await new Promise((resume) => setTimeout(resume, AGAIN_MS));
  }
}

async function stopRun(service: Service, conversationId: string) {
  const answer = await askPatiently(service, conversationId);
  if (answer.status === 404) throw badInput('', `there is no conversation "${conversationId}"`);
  return readAnswer(answerSchema, answer);
}

export function addRuns(program: Command, printing: Printing): void {
  group(program, 'runs', 'runs of flows')
    .command('stop')
    .description('ends the flow run of a conversation; without one it does nothing')
    .argument('<conversationId>', 'the id of the conversation')
    .action((id: string) => printing.show((service) => stopRun(service, id)));
}
