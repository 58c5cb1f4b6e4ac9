/** Commands that inspect the running service: `recado actors` and `recado doctor`. */
import type { Command } from 'commander';
import type { Log } from '../../../shared/ports/log.ts';
import { listActors, renderActors } from './actors.ts';
import { type Diagnosis, renderDiagnosis } from './doctor.ts';
import { type Service, TIMEOUT_MS } from './service.ts';

export interface OperationsContext {
  readonly open: (timeoutMs: number) => Promise<Service>;
  readonly log: Log;
  /** Standard output. */
  readonly write: (text: string) => void;
  readonly examine: () => Promise<Diagnosis>;
  /** Something was found that needs the operator: the command ends with 1. */
  readonly setFailed: () => void;
}

export function addOperations(program: Command, context: OperationsContext): void {
  const { open, log, write, examine, setFailed } = context;
  const print = <T>(value: T, render: (value: T) => string): void => {
    const { json } = program.opts<{ json?: boolean }>();
    write(json === true ? `${JSON.stringify(value)}\n` : render(value));
  };
  program
    .command('actors')
    .description('lists the actors processes and what each holds')
    .action(async () => {
      const service = await open(TIMEOUT_MS);
      const listed = await listActors(service, log);
      await service.close();
      print(listed, renderActors);
    });
  program
    .command('doctor')
    .description('looks at everything that the service stands on; exits with 1 unless all is well')
    .action(async () => {
      const diagnosis = await examine();
      print(diagnosis, renderDiagnosis);
      if (!diagnosis.ok) setFailed();
    });
}
