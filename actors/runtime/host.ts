/**
 * Host of a process's actors: it holds partitions, finds the mailbox of an ask, and closes idle
 * actors. The membership decides which partitions it owns.
 *
 * 1. An ask for a partition that is not owned is answered null: ask elsewhere.
 * 2. A command id under way is not run again: a repeat waits for the first one's answer.
 * 3. Releasing a partition drains its mailboxes first.
 */
import { renderFailure } from '../../shared/failures.ts';
import type {
  Answer,
  IncomingAsk,
  OwnerBus,
  PiggybackedAdmission,
} from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Admission } from '../../shared/wire/caller.ts';
import { type Partition, partitionName } from '../../shared/wire/subjects.ts';
import { describe } from './describe-fault.ts';
import { InDoubtRecovery } from './in-doubt-recovery.ts';
import type { Kind, RefusedWebhooks } from './kind.ts';
import { CompletionRecords, Mailbox, type MailboxSettings } from './mailbox.ts';
import { retryWhile, sleepUntil } from './repeat.ts';
import { forwardAsk, hopsOf } from './turn.ts';

/** Long enough for a message's receipts to arrive, short enough to bound a busy hour's memory. */
const IDLE_MS = 20_000;
const IDLE_CHECK_MS = 5_000;
const RECOVERY_RETRY = { firstMs: 500 };
const DRAIN = { everyMs: 5, maxMs: 5_000 };

interface Held {
  readonly partition: Partition;
  readonly epoch: number;
  readonly mailboxes: Map<string, Mailbox>;
  /** Made with the first mailbox: most partitions have none in their whole tenure. */
  settings: MailboxSettings | null;
  readonly disown: () => void;
}

/** Where a turn was, for operators. */
interface TurnPlace {
  /** The partition's name. */
  readonly partition: string;
  /** Where the actor's state tells it. */
  readonly orgId: string | undefined;
}

export interface HostSettings {
  readonly bus: OwnerBus;
  readonly clock: Clock;
  readonly log: Log;
  readonly kinds: readonly Kind[];
  readonly leaseHeld: () => boolean;
  /** Resolves when every write that was read is journaled. */
  readonly journalBarrier: () => Promise<void>;
  readonly onTurn: (ask: IncomingAsk, answer: Answer, ms: number, of: TurnPlace) => void;
  /** Admits the call that brought a command, here or by the organization's owner. */
  readonly admit: Admit;
}

/** Undefined where the answer has none. Throws AskFailed. */
export type Admit = (
  attached: PiggybackedAdmission,
  ask: Pick<IncomingAsk, 'deadline' | 'repeat'>,
) => Promise<Admission | undefined>;

export class Host {
  readonly #settings: HostSettings;
  readonly #held = new Map<string, Held>();
  readonly #inFlight = new Map<string, IncomingAsk[]>();
  #cancelIdleCheck: () => void;
  readonly #inDoubtRecovery: InDoubtRecovery;
  /** Refusals that callers have received: a late repeat must not succeed. */
  readonly #refusals: CompletionRecords;
  turns = 0;

  constructor(settings: HostSettings) {
    this.#settings = settings;
    this.#refusals = new CompletionRecords(settings.clock);
    this.#inDoubtRecovery = new InDoubtRecovery(
      settings,
      (held) => this.#held.get(partitionName(held.partition)) === held,
    );
    this.#cancelIdleCheck = settings.clock.after(IDLE_CHECK_MS, () => this.#closeIdleMailboxes());
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
    const all = [...this.#held.values()].flatMap(({ mailboxes }) => [...mailboxes.values()]);
    return { count: all.length, depth: all.reduce((sum, { depth }) => sum + depth, 0) };
  }

  restricted(): number {
    return this.#settings.kinds.reduce((sum, kind) => sum + (kind.restricted?.() ?? 0), 0);
  }

  refusedWebhooks(): readonly RefusedWebhooks[] {
    return this.#settings.kinds.flatMap((kind) => kind.refusedWebhooks?.() ?? []);
  }

  acquire(partition: Partition, epoch: number): void {
    const kind = this.#kindOf(partition);
    const name = partitionName(partition);
    const disown = this.#settings.bus.own(partition, {
      ask: (ask) => this.#receive(name, ask),
      nudge: (payload) => kind.nudge?.(partition.number, payload),
    });
    const held: Held = { partition, epoch, mailboxes: new Map(), settings: null, disown };
    this.#held.set(name, held);
    void this.#recover(kind, held);
  }

  /** Repeats until it succeeds: no other process recovers the work of the previous owner. */
  async #recover(kind: Kind, held: Held): Promise<void> {
    const partition = partitionName(held.partition);
    const mayAct = () => this.#settings.leaseHeld() && this.#held.get(partition) === held;
    const retry = { mayAct, wait: RECOVERY_RETRY, failedMessage: 'recovery failed, trying again' };
    await retryWhile(this.#settings, { ...retry, fields: { partition } }, async () => {
      await kind.acquire?.(held.partition.number, held.epoch);
      this.#inDoubtRecovery.addPartition(kind, held);
    });
  }

  /** Waits for the turns under way and those already waiting, then drops the partition. */
  async release(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (!held) return;
    await this.#kindOf(held.partition).settle?.(held.partition.number);
    if (this.#held.get(name) !== held) return;
    held.disown();
    const isDone = () => [...held.mailboxes.values()].every(({ depth }) => depth === 0);
    await sleepUntil(this.#settings.clock, isDone, DRAIN);
    await Promise.all([...held.mailboxes.values()].map((mailbox) => mailbox.flush()));
    await this.#kindOf(held.partition).flush?.(held.partition.number);
    // The lease may have been lost meanwhile, and the partition acquired under another epoch.
    if (this.#held.get(name) === held) this.#forget(name, held, { lost: false });
  }

  /** The lease is lost: the partitions may not act any more, nor refuse. */
  dropAll(): void {
    for (const [name, held] of this.#held) {
      held.disown();
      this.#forget(name, held, { lost: true });
    }
  }

  close(): void {
    this.#cancelIdleCheck();
  }

  #forget(name: string, held: Held, how: { readonly lost: boolean }): void {
    this.#held.delete(name);
    this.#kindOf(held.partition).release?.(held.partition.number);
    for (const mailbox of held.mailboxes.values()) mailbox.close(how);
  }

  #kindOf(partition: Partition): Kind {
    const kind = this.#settings.kinds.find((candidate) => candidate.kind === partition.kind);
    if (!kind) throw new Error(`no actors of kind ${partition.kind} run here`);
    return kind;
  }

  #receive(name: string, ask: IncomingAsk): void {
    const held = this.#held.get(name);
    if (!held || !this.#settings.leaseHeld()) return ask.answer(null);
    const refused = this.#refusals.find(ask.command.id);
    if (refused) return ask.answer(refused);
    const first = this.#coalesce(ask);
    if (!first) return;
    const { key } = ask.address;
    const mailbox = held.mailboxes.get(key) ?? this.#openMailbox(held, key);
    if (first.admission) void this.#admitFirst(first, first.admission, mailbox);
    else mailbox.post(first);
  }

  /** The command runs only if its call is admitted. */
  async #admitFirst(
    ask: IncomingAsk,
    attached: PiggybackedAdmission,
    mailbox: Mailbox,
  ): Promise<void> {
    const { log, leaseHeld, admit } = this.#settings;
    try {
      const admission = await admit(attached, ask);
      if (admission?.outcome === 'admitted') {
        const answer = (given: Answer | null) => ask.answer(given && { ...given, admission });
        return mailbox.post({ ...ask, answer });
      }
      // The actor's present owner may have received the repeat, and may have run it.
      if (mailbox.closed || !leaseHeld()) return ask.answer(null);
      ask.answer(admission ? notRun(ask, admission) : renderFailure({ kind: 'fault' }));
    } catch (cause) {
      const fields = { orgId: attached.orgId, error: describe(cause) };
      log.warn(fields, 'a call was not admitted in time');
      ask.answer(null);
    }
  }

  /** Null when the same command is under way already. */
  #coalesce(ask: IncomingAsk): IncomingAsk | null {
    // An admitted ask must not get the answer of one that may be refused.
    const admitted = ask.admission ? `${ask.command.id} riding` : ask.command.id;
    // A forwarded command has the same id: it must not wait for the ask that it answers.
    const { kind, key } = ask.address;
    const id = `${admitted} ${kind} ${key} ${hopsOf(ask.command).length}`;
    const waiting = this.#inFlight.get(id);
    if (waiting) {
      waiting.push(ask);
      return null;
    }
    this.#inFlight.set(id, [ask]);
    return {
      ...ask,
      answer: (answer) => {
        const asks = this.#inFlight.get(id) ?? [ask];
        this.#inFlight.delete(id);
        if (answer && isRefusal(ask, answer)) this.#refusals.keep(ask.command.id, answer);
        for (const each of asks) each.answer(answer);
      },
    };
  }

  #openMailbox(held: Held, key: string): Mailbox {
    held.settings ??= this.#mailboxSettings(held);
    const mailbox = new Mailbox(key, held.settings);
    held.mailboxes.set(key, mailbox);
    return mailbox;
  }

  #mailboxSettings(held: Held): MailboxSettings {
    const kind = this.#kindOf(held.partition);
    const { epoch } = held;
    const partition = partitionName(held.partition);
    const { clock, log, leaseHeld, journalBarrier, onTurn } = this.#settings;
    return {
      ...{ clock, log, leaseHeld, journalBarrier, epoch },
      open: (key, stale) => kind.open(key, epoch, stale),
      forward: (ask, forwarded, repeat) => forwardAsk(this.#settings, { ask, forwarded, repeat }),
      onInDoubt: (key) => this.#inDoubtRecovery.add(kind, held, key),
      onDisposable: (key) => closeIdle(held, key),
      onTurn: (ask, answer, ms, orgId) => {
        this.turns++;
        onTurn(ask, answer, ms, { partition, orgId });
      },
    };
  }

  #closeIdleMailboxes(): void {
    const { clock } = this.#settings;
    const before = clock.monotonic() - IDLE_MS;
    for (const held of this.#held.values()) {
      for (const [key, mailbox] of held.mailboxes) {
        if (mailbox.usedAt < before) closeIdle(held, key);
      }
    }
    this.#cancelIdleCheck = clock.after(IDLE_CHECK_MS, () => this.#closeIdleMailboxes());
  }
}

function closeIdle({ mailboxes }: Held, key: string): void {
  const mailbox = mailboxes.get(key);
  if (!mailbox?.idle) return;
  mailbox.close();
  mailboxes.delete(key);
}

/** Answer to a command that was not run. */
function notRun({ repeat }: IncomingAsk, admission: Admission): Answer {
  // An owner that has gone since may have admitted an earlier ask, and have run it.
  if (!repeat || admission.givenBefore) return { status: 200, body: '', admission };
  if (admission.outcome !== 'admitted-with-caller') return renderFailure({ kind: 'fault' });
  return { status: 200, body: '', admission: { ...admission, mayHaveRun: true } };
}

/** A command that was not run for its admission is decided anew, unlike the admission itself. */
function isRefusal(ask: IncomingAsk, { status, admission }: Answer): boolean {
  if (ask.admission || !admission) return status >= 400 && status < 500;
  return admission.outcome === 'unauthorized' || admission.outcome === 'rate-limited';
}
