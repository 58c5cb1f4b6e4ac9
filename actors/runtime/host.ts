/**
 * The host of a process's actors: it holds partitions, finds the mailbox of an ask, forgets actors
 * that have been idle. It is told by the membership which partitions it owns.
 *
 * 1. An ask of a partition that is not owned is answered null: ask elsewhere.
 * 2. A command id under way is not run again: a repeat waits for the first one's answer.
 * 3. Releasing a partition drains its mailboxes first.
 */
import { ADMITTED, NOT_RUN } from '../../shared/caller.ts';
import type {
  Answer,
  Clock,
  IncomingAsk,
  Log,
  OwnerBus,
  RidingAdmission,
} from '../../shared/ports.ts';
import { type Partition, partitionName } from '../../shared/subjects.ts';
import type { Kind } from './actor.ts';
import { describe, Mailbox } from './mailbox.ts';

/** Long enough for a message's receipts to come, short enough not to hold a busy hour in memory. */
const IDLE_MS = 20_000;
const IDLE_SWEEP_MS = 5_000;
const DRAIN_STEP_MS = 5;
const DRAIN_MS = 5_000;

interface Held {
  readonly partition: Partition;
  readonly epoch: number;
  readonly mailboxes: Map<string, Mailbox>;
  readonly disown: () => void;
}

export interface HostSettings {
  readonly bus: OwnerBus;
  readonly clock: Clock;
  readonly log: Log;
  readonly kinds: readonly Kind[];
  readonly alive: () => boolean;
  readonly onTurn: (ask: IncomingAsk, answer: Answer, ms: number) => void;
}

export class Host {
  readonly #settings: HostSettings;
  readonly #held = new Map<string, Held>();
  readonly #underWay = new Map<string, IncomingAsk[]>();
  #cancelSweep: () => void;
  turns = 0;

  constructor(settings: HostSettings) {
    this.#settings = settings;
    this.#cancelSweep = settings.clock.after(IDLE_SWEEP_MS, () => this.#sweep());
  }

  holds(name: string): boolean {
    return this.#held.has(name);
  }

  epochOf(name: string): number | null {
    return this.#held.get(name)?.epoch ?? null;
  }

  names(): readonly string[] {
    return [...this.#held.keys()];
  }

  mailboxes(): { count: number; depth: number } {
    let count = 0;
    let depth = 0;
    for (const held of this.#held.values()) {
      count += held.mailboxes.size;
      for (const mailbox of held.mailboxes.values()) depth += mailbox.depth;
    }
    return { count, depth };
  }

  take(partition: Partition, epoch: number): void {
    const kind = this.#kindOf(partition);
    const name = partitionName(partition);
    const disown = this.#settings.bus.own(partition, {
      ask: (ask) => this.#receive(name, ask),
      nudge: (payload) => kind.nudge?.(partition.number, payload),
    });
    this.#held.set(name, { partition, epoch, mailboxes: new Map(), disown });
    kind.take?.(partition.number, epoch).catch((fault: unknown) => {
      this.#settings.log.error({ partition: name, error: describe(fault) }, 'recovery failed');
    });
  }

  /** Lets the turns under way and those already waiting end, then forgets the partition. */
  async giveUp(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (!held) return;
    held.disown();
    const { clock } = this.#settings;
    const until = clock.monotonic() + DRAIN_MS;
    while (clock.monotonic() < until && [...held.mailboxes.values()].some((m) => m.depth > 0)) {
      await new Promise<void>((resume) => clock.after(DRAIN_STEP_MS, resume));
    }
    await Promise.all([...held.mailboxes.values()].map((mailbox) => mailbox.flush()));
    await this.#kindOf(held.partition).flush?.(held.partition.number);
    this.#forget(name, held);
  }

  /** The lease is lost: nothing of this may act any more, refusals included. */
  dropAll(): void {
    for (const [name, held] of this.#held) {
      held.disown();
      this.#forget(name, held);
    }
  }

  close(): void {
    this.#cancelSweep();
  }

  #forget(name: string, held: Held): void {
    this.#held.delete(name);
    this.#kindOf(held.partition).giveUp?.(held.partition.number);
    for (const mailbox of held.mailboxes.values()) mailbox.close();
  }

  #kindOf(partition: Partition): Kind {
    const kind = this.#settings.kinds.find((candidate) => candidate.kind === partition.kind);
    if (!kind) throw new Error(`no actors of kind ${partition.kind} run here`);
    return kind;
  }

  #receive(name: string, ask: IncomingAsk): void {
    const held = this.#held.get(name);
    if (!held || !this.#settings.alive()) return ask.answer(null);
    const joined = this.#join(ask);
    if (!joined) return;
    const mailbox = this.#mailboxOf(held, ask.address.key);
    if (joined.admission) void this.#admitFirst(joined, joined.admission, mailbox);
    else mailbox.post(joined);
  }

  /** The organization's owner is asked first; the command runs only if it agrees. */
  async #admitFirst(ask: IncomingAsk, riding: RidingAdmission, mailbox: Mailbox): Promise<void> {
    const { bus, log } = this.#settings;
    const { deadline } = ask;
    try {
      const to = { kind: 'organization', key: riding.orgId } as const;
      const admission = await bus.ask(to, riding.command, { deadline });
      if (admission.status !== ADMITTED) {
        return ask.answer({ status: NOT_RUN, body: '', admission });
      }
      mailbox.post({
        ...ask,
        answer: (answer) => ask.answer(answer && { ...answer, admission }),
      });
    } catch (cause) {
      log.warn({ orgId: riding.orgId, error: describe(cause) }, 'a call was not admitted in time');
      ask.answer(null);
    }
  }

  /** Null when the same command is under way already. */
  #join(ask: IncomingAsk): IncomingAsk | null {
    const { id } = ask.command;
    const waiting = this.#underWay.get(id);
    if (waiting) {
      waiting.push(ask);
      return null;
    }
    this.#underWay.set(id, [ask]);
    return {
      ...ask,
      answer: (answer) => {
        const asks = this.#underWay.get(id) ?? [ask];
        this.#underWay.delete(id);
        for (const each of asks) each.answer(answer);
      },
    };
  }

  #mailboxOf(held: Held, key: string): Mailbox {
    const known = held.mailboxes.get(key);
    if (known) return known;
    const { clock, log, alive, onTurn } = this.#settings;
    const kind = this.#kindOf(held.partition);
    const mailbox = new Mailbox({
      clock,
      log,
      alive,
      epoch: held.epoch,
      open: (stale) => kind.open(key, held.epoch, stale),
      onTurn: (ask, answer, ms) => {
        this.turns++;
        onTurn(ask, answer, ms);
      },
    });
    held.mailboxes.set(key, mailbox);
    return mailbox;
  }

  #sweep(): void {
    const before = this.#settings.clock.monotonic() - IDLE_MS;
    for (const held of this.#held.values()) {
      for (const [key, mailbox] of held.mailboxes) {
        if (mailbox.usedAt < before && mailbox.idle) {
          mailbox.close();
          held.mailboxes.delete(key);
        }
      }
    }
    this.#cancelSweep = this.#settings.clock.after(IDLE_SWEEP_MS, () => this.#sweep());
  }
}
