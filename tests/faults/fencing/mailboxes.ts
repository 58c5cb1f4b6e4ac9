/** A mailbox with nothing around it, and all that it has answered. */
import { Mailbox, type MailboxSettings } from '../../../actors/runtime/mailbox.ts';
import type { Address, Answer, CommandOf } from '../../../shared/ports/bus.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { quiet } from './environment.ts';

const DEADLINE_MS = 60_000;

export function mailboxOf(
  key: string,
  own: Pick<MailboxSettings, 'open'> & Partial<MailboxSettings>,
): Mailbox {
  return new Mailbox(key, {
    ...{ clock: new ManualClock(), log: SILENT, epoch: 1, leaseHeld: () => true },
    ...{ onTurn: quiet, onInDoubt: quiet, onDisposable: quiet, forward: quiet },
    journalBarrier: async () => undefined,
    ...own,
  });
}

export class AskedMailbox {
  readonly clock: ManualClock;
  readonly #address: Address;
  readonly #mailbox: Mailbox;
  readonly answers: (Answer | null)[] = [];

  constructor(
    address: Address,
    own: Parameters<typeof mailboxOf>[1],
    clock: ManualClock = new ManualClock(),
  ) {
    this.clock = clock;
    this.#address = address;
    this.#mailbox = mailboxOf(address.key, { clock, ...own });
  }

  ask(command: CommandOf): void {
    this.#mailbox.post({
      ...{ address: this.#address, command, repeat: false },
      deadline: this.clock.now() + DEADLINE_MS,
      answer: (answer) => this.answers.push(answer),
    });
  }

  close(): void {
    this.#mailbox.close();
  }
}
