/** The command line's acts, as an organization's audit log has them. */
import * as v from 'valibot';
import { loadConfig } from '../../../../../infra/config/config.ts';
import { openService } from '../../../../../infra/programs/cli/service/service.ts';
import type { Log } from '../../../../../shared/ports/log.ts';
import type { Stack } from '../../../../support/stack.ts';

const quiet = (): void => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

const AuditSchema = v.object({
  data: v.array(
    v.object({
      operation: v.string(),
      name: v.string(),
      memberId: v.null(),
      subject: v.object({ id: v.string() }),
    }),
  ),
});

/** Operations on one entity among the newest 200 acts, by name. */
export async function operatorsActs(
  { dataDir }: Pick<Stack, 'dataDir'>,
  orgId: string,
  id: string | undefined,
): Promise<readonly string[]> {
  const config = loadConfig({ DATA_DIR: dataDir });
  const service = await openService({ config, log, timeoutMs: 90_000 });
  const page = await service.query('audit-page', { orgId, page: 1, limit: 200 });
  await service.close();
  const rows = v.parse(AuditSchema, JSON.parse(page.body)).data;
  const own = rows.filter(({ name, subject }) => name === 'recado' && subject.id === id);
  return [...new Set(own.map(({ operation }) => operation))].toSorted();
}
