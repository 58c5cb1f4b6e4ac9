/** Where reminder mails go. */
import type { Mail, Mailer, MailOutcome } from '../../../../shared/ports/mailer.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import type { Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';

export class SimulatedMailer {
  readonly mails: Mail[] = [];

  mailerFor(machine: Machine, scheduler: Scheduler, faults: FaultInjector): Mailer {
    return {
      reachesMailboxes: true,
      send: (mail) => {
        const { promise, resolve } = Promise.withResolvers<MailOutcome>();
        if (machine.dead) return promise;
        const fails = faults.injects('mail-fails', 0.9);
        if (!fails) this.mails.push(mail);
        scheduler.after(20 + faults.random.around(50), () =>
          machine.reach(() =>
            resolve(fails ? { outcome: 'later', reason: 'busy' } : { outcome: 'sent' }),
          ),
        );
        return promise;
      },
      close: () => Promise.resolve(),
    };
  }
}
