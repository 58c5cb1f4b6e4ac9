/** Acceptance of a send with a time: why it is refused, before anything is written (D293). */
import { SENTENCES } from '../../shared/api/sentences.ts';
import { type Failure, invalid } from '../../shared/failures.ts';
import type { SendMessage } from '../../shared/wire/commands.ts';
import { refuseTime } from '../domain/schedule.ts';
import type { Environment } from '../environment.ts';
import type { ScheduledCounts } from '../schedule/scheduled-counts.ts';

interface AcceptingParts {
  readonly environment: Pick<Environment, 'clock'>;
  readonly scheduledCounts: ScheduledCounts;
}

/** Null: it may be accepted, and room for it is taken. */
export async function refuseSchedule(
  { environment, scheduledCounts }: AcceptingParts,
  { schedule, orgId }: Pick<SendMessage, 'schedule' | 'orgId'>,
): Promise<Failure | null> {
  if (!schedule) return null;
  const now = environment.clock.now();
  const refused = refuseTime(schedule, now);
  if (refused || schedule.at <= now || (await scheduledCounts.takeRoom(orgId))) return refused;
  return invalid({ path: 'sendAt', message: SENTENCES.tooManyScheduled });
}
