/** Where reminder mails go. */
import type { Mail, Mailer, MailOutcome } from '../../../shared/mail.ts';
import type { Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Weather } from '../world/weather.ts';

export class PostBox {
  readonly mails: Mail[] = [];

  mailerFor(machine: Machine, scheduler: Scheduler, weather: Weather): Mailer {
    return {
      send: (mail) => {
        const { promise, resolve } = Promise.withResolvers<MailOutcome>();
        if (machine.dead) return promise;
        const fails = weather.strikes('mail-fails', 0.9);
        if (!fails) this.mails.push(mail);
        scheduler.after(20 + weather.chance.around(50), () =>
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
