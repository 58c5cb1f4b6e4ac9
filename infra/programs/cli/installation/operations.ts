/** Commands of the installation as a whole: `recado actors`, `doctor`, and `migrate`. */
import type { Command } from 'commander';
import type { Log } from '../../../../shared/ports/log.ts';
import { rolePermissions } from '../../../adapters/nats/permissions.ts';
import type { Config, Environment } from '../../../config/config.ts';
import { type Service, TIMEOUT_MS } from '../service/service.ts';
import { listActors, renderActors } from './actors.ts';
import type { Diagnosis } from './doctor.ts';
import { recountEverything, renderRecounted } from './recount.ts';

export interface OperationsContext {
  readonly open: (timeoutMs: number) => Promise<Service>;
  /** @throws {ConfigError} */
  readonly config: () => Config;
  readonly environment: Environment;
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
    .option(
      '--recount',
      'count every list again, and correct totals that writes by hand made wrong',
    )
    .action(async ({ recount }: { readonly recount?: boolean }) => {
      if (recount === true) {
        const service = await open(TIMEOUT_MS);
        const recounted = await recountEverything(service);
        await service.close();
        print(recounted, renderRecounted);
        return;
      }
      const diagnosis = await examine();
      const { renderDiagnosis, tellDiagnosis } = await import('./doctor.ts');
      print(tellDiagnosis(diagnosis), renderDiagnosis);
      if (!diagnosis.ok) setFailed();
    });
  program
    .command('nats-permissions')
    .description('prints what each role needs of a NATS account, as its configuration takes it')
    .action(() =>
      write(`${JSON.stringify(rolePermissions(context.config().natsPrefix), null, 2)}\n`),
    );
  program
    .command('migrate')
    .description('takes over the database of an older release; no process may run on it')
    .action(async () => {
      // With the database's driver, which is a quarter of a start.
      const { migrateDatabase, renderMigrated } = await import('./migrate.ts');
      print(await migrateDatabase(context), renderMigrated);
    });
}
