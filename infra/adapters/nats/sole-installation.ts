/**
 * Ensures one installation per bus: two would answer each other's asks. A starting process searches
 * for another installation, and ends itself if it finds one.
 *
 * 1. A process answers for its installation only after it found no other one. So a process that
 *    comes back never sees a newcomer that is refused again and again.
 * 2. It asks once more after that. Of two that start at one moment at least one hears the other.
 * 3. A late answer counts too: the other process may have been busy.
 */
import { createHash } from 'node:crypto';
import type { OwnerBus } from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { InstallationRecord } from '../../../shared/ports/ids.ts';
import { natsHosts } from './access.ts';

const TOPIC = 'installation';
/** For the answers of processes that are not busy; the indexes are checked meanwhile. */
const ANSWER_WAIT_MS = 100;
const LATE_MS = 5_000;

/** For the operator. */
export function anotherInstallation(natsUrl: string): string {
  return (
    `Another installation is on the bus at ${natsHosts(natsUrl)} (NATS_URL): ` +
    'give each a NATS_PREFIX, or a NATS account of its own, or name the same MONGODB_URL.'
  );
}

export interface SoleInstallationCheck {
  readonly bus: Pick<OwnerBus, 'askAll' | 'answerAll'>;
  readonly clock: Clock;
  readonly installation: InstallationRecord;
  /** Ends the process. */
  readonly refuse: () => Promise<never>;
}

/** Resolves when the bus seems to be this installation's own; goes on listening for a while. */
export async function requireSoleInstallation(check: SoleInstallationCheck): Promise<void> {
  const { bus, clock, installation, refuse } = check;
  const own = nameOf(installation);
  const found = Promise.withResolvers<'another'>();
  const onAnswer = (answer: unknown): void => {
    const name: unknown = Reflect.get(Object(answer), 'installation');
    if (typeof name === 'string' && name !== own) found.resolve('another');
  };
  const moment = Promise.withResolvers<'none'>();
  clock.after(ANSWER_WAIT_MS, () => moment.resolve('none'));
  const endFirst = bus.askAll(TOPIC, onAnswer);
  if ((await Promise.race([found.promise, moment.promise])) === 'another') await refuse();
  bus.answerAll(TOPIC, () => Promise.resolve({ installation: own }));
  const endSecond = bus.askAll(TOPIC, onAnswer);
  void found.promise.then(refuse);
  clock.after(LATE_MS, () => {
    endFirst();
    endSecond();
  });
}

/** Tells installations apart, and nothing of the salt. */
function nameOf({ salt }: InstallationRecord): string {
  return createHash('sha256').update(`installation ${salt}`).digest('base64url');
}
