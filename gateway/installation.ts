/**
 * The ids of this installation. Derived ids need its salt, which is in the record. Until a process
 * answers with it, requests wait (within their deadline), and health answers.
 */
import type { Bus } from '../shared/ports/bus.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Ids, InstallationRecord } from '../shared/ports/ids.ts';
import type { Log } from '../shared/ports/log.ts';
import { bodyOf } from '../shared/wire/answer.ts';

const ASK_MS = 2_000;
const PAUSE_MS = 250;

interface LearningGateway {
  readonly bus: Pick<Bus, 'query'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly installation: Installation;
}

interface Learning {
  readonly idsOf: (record: InstallationRecord) => Ids;
  readonly onAnswered: () => void;
}

/** Asks for the installation until an actors process answers. */
export async function learnInstallation(
  { bus, clock, log, installation }: LearningGateway,
  { idsOf, onAnswered }: Learning,
): Promise<void> {
  for (;;) {
    try {
      const answer = await bus.query('installation', {}, { deadline: clock.now() + ASK_MS });
      if (answer.status === 200) {
        installation.learn(idsOf(bodyOf(answer)));
        onAnswered();
        log.info({}, 'the gateway knows the installation');
        return;
      }
    } catch (cause) {
      log.debug({ cause }, 'nobody answers for the installation yet');
    }
    await new Promise<void>((resume) => clock.after(PAUSE_MS, resume));
  }
}

export class Installation {
  readonly #clock: Clock;
  /** At most one for each open call, until its deadline. */
  readonly #waiting = new Set<(ids: Ids) => void>();
  #ids: Ids | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The ids, or null while the salt is not known. */
  current(): Ids | null {
    return this.#ids;
  }

  learn(ids: Ids): void {
    this.#ids = ids;
    for (const resume of this.#waiting) resume(ids);
    this.#waiting.clear();
  }

  /** @throws Error when the salt is still unknown after `waitMs` */
  wait(waitMs: number): Promise<Ids> {
    const { promise, resolve, reject } = Promise.withResolvers<Ids>();
    const cancel = this.#clock.after(waitMs, () => {
      this.#waiting.delete(resume);
      reject(new Error('the installation is not known yet'));
    });
    const resume = (ids: Ids): void => {
      cancel();
      resolve(ids);
    };
    this.#waiting.add(resume);
    return promise;
  }
}
