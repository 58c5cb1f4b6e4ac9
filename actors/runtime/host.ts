/**
 * Host of a process's actors: it holds partitions, finds the mailbox of an ask, and closes idle
 * actors. The membership decides which partitions it owns.
 *
 * 1. An ask for a partition that is not owned is answered null: ask elsewhere.
 * 2. A command id under way is not run again (`asks-under-way.ts`).
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
import { AsksUnderWay } from './asks-under-way.ts';
import { describe } from './describe-fault.ts';
import { InDoubtRecovery } from './in-doubt-recovery.ts';
import type { Kind } from './kind.ts';
import { Mailbox, type MailboxSettings } from './mailbox.ts';
import { retryWhile, sleepUntil } from './repeat.ts';
import { forwardAsk } from './turn.ts';

/** Long enough for a message's receipts to arrive, short enough to bound a busy hour's memory. */
const IDLE_MS = 20_000;
const IDLE_CHECK_MS = 5_000;
const RECOVERY_RETRY = { firstMs: 500 };
const DRAIN = { everyMs: 5, maxMs: 5_000 };

/** A partition in one tenure, with the mailboxes that are open in it. */
class OwnedPartition {
  readonly partition: Partition;
  readonly epoch: number;
  readonly disown: () => void;
  readonly mailboxes = new Map<string, Mailbox>();
  readonly #settingsOf: (owned: OwnedPartition) => MailboxSettings;
  /** Made with the first mailbox: most partitions have none in their whole tenure. */
  #settings: MailboxSettings | null = null;

  constructor(
    partition: Partition,
    epoch: number,
    disown: () => void,
    settingsOf: (owned: OwnedPartition) => MailboxSettings,
  ) {
    this.partition = partition;
    this.epoch = epoch;
    this.disown = disown;
    this.#settingsOf = settingsOf;
  }

  /** The key's mailbox, which is opened if it is missing. */
  mailbox(key: string): Mailbox {
    const open = this.mailboxes.get(key);
    if (open) return open;
    this.#settings ??= this.#settingsOf(this);
    const mailbox = new Mailbox(key, this.#settings);
    this.mailboxes.set(key, mailbox);
    return mailbox;
  }

  closeIdle(key: string): void {
    const mailbox = this.mailboxes.get(key);
    if (!mailbox?.idle) return;
    mailbox.close();
    this.mailboxes.delete(key);
  }
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
  readonly #owned = new Map<string, OwnedPartition>();
  readonly #asks: AsksUnderWay;
  #cancelIdleCheck: () => void;
  readonly #inDoubtRecovery: InDoubtRecovery;
  turns = 0;

  constructor(settings: HostSettings) {
    this.#settings = settings;
    this.#asks = new AsksUnderWay(settings.clock);
    this.#inDoubtRecovery = new InDoubtRecovery(
      settings,
      (owned) => this.#owned.get(partitionName(owned.partition)) === owned,
    );
    this.#cancelIdleCheck = settings.clock.after(IDLE_CHECK_MS, () => this.#closeIdleMailboxes());
  }

  /** Null where the partition is not owned. */
  epochOf(name: string): number | null {
    return this.#owned.get(name)?.epoch ?? null;
  }

  names(): readonly string[] {
    return [...this.#owned.keys()];
  }

  mailboxes(): { count: number; depth: number } {
    const all = [...this.#owned.values()].flatMap(({ mailboxes }) => [...mailboxes.values()]);
    return { count: all.length, depth: all.reduce((sum, { depth }) => sum + depth, 0) };
  }

  acquire(partition: Partition, epoch: number): void {
    const kind = this.#kindOf(partition);
    const name = partitionName(partition);
    const disown = this.#settings.bus.own(partition, {
      ask: (ask) => this.#receive(name, ask),
      nudge: (payload) => kind.nudge?.(partition.number, payload),
    });
    const owned = new OwnedPartition(partition, epoch, disown, (of) => this.#mailboxSettings(of));
    this.#owned.set(name, owned);
    void this.#recover(kind, owned);
  }

  /** Repeats until it succeeds: no other process recovers the work of the previous owner. */
  async #recover(kind: Kind, owned: OwnedPartition): Promise<void> {
    const partition = partitionName(owned.partition);
    const mayAct = () => this.#settings.leaseHeld() && this.#owned.get(partition) === owned;
    const retry = { mayAct, wait: RECOVERY_RETRY, failedMessage: 'recovery failed, trying again' };
    await retryWhile(this.#settings, { ...retry, fields: { partition } }, async () => {
      await kind.acquire?.(owned.partition.number, owned.epoch);
      this.#inDoubtRecovery.addPartition(kind, owned);
    });
  }

  /** Waits for the turns under way and those already waiting, then drops the partition. */
  async release(name: string): Promise<void> {
    const owned = this.#owned.get(name);
    if (!owned) return;
    await this.#kindOf(owned.partition).settle?.(owned.partition.number);
    if (this.#owned.get(name) !== owned) return;
    owned.disown();
    const isDone = () => [...owned.mailboxes.values()].every(({ depth }) => depth === 0);
    await sleepUntil(this.#settings.clock, isDone, DRAIN);
    await Promise.all([...owned.mailboxes.values()].map((mailbox) => mailbox.flush()));
    await this.#kindOf(owned.partition).flush?.(owned.partition.number);
    // The lease may have been lost meanwhile, and the partition acquired under another epoch.
    if (this.#owned.get(name) === owned) this.#forget(name, owned, { lost: false });
  }

  /** The lease is lost: the partitions may not act any more, nor refuse. */
  dropAll(): void {
    for (const [name, owned] of this.#owned) {
      owned.disown();
      this.#forget(name, owned, { lost: true });
    }
  }

  close(): void {
    this.#cancelIdleCheck();
  }

  #forget(name: string, owned: OwnedPartition, how: { readonly lost: boolean }): void {
    this.#owned.delete(name);
    this.#kindOf(owned.partition).release?.(owned.partition.number);
    for (const mailbox of owned.mailboxes.values()) mailbox.close(how);
  }

  #kindOf(partition: Partition): Kind {
    const kind = this.#settings.kinds.find((candidate) => candidate.kind === partition.kind);
    if (!kind) throw new Error(`no actors of kind ${partition.kind} run here`);
    return kind;
  }

  #receive(name: string, ask: IncomingAsk): void {
    const owned = this.#owned.get(name);
    if (!owned || !this.#settings.leaseHeld()) return ask.answer(null);
    const refused = this.#asks.refusalOf(ask);
    if (refused) return ask.answer(refused);
    const first = this.#asks.join(ask);
    if (!first) return;
    const mailbox = owned.mailbox(ask.address.key);
    if (first.admission) void admitFirst(this.#settings, first, first.admission, mailbox);
    else mailbox.post(first);
  }

  #mailboxSettings(owned: OwnedPartition): MailboxSettings {
    const kind = this.#kindOf(owned.partition);
    const { epoch } = owned;
    const partition = partitionName(owned.partition);
    const { clock, log, leaseHeld, journalBarrier, onTurn } = this.#settings;
    return {
      ...{ clock, log, leaseHeld, journalBarrier, epoch },
      open: (key, stale) => kind.open(key, epoch, stale),
      forward: (ask, forwarded, repeat) => forwardAsk(this.#settings, { ask, forwarded, repeat }),
      onInDoubt: (key) => this.#inDoubtRecovery.add(kind, owned, key),
      onDisposable: (key) => owned.closeIdle(key),
      onTurn: (ask, answer, ms, orgId) => {
        this.turns++;
        onTurn(ask, answer, ms, { partition, orgId });
      },
    };
  }

  #closeIdleMailboxes(): void {
    const { clock } = this.#settings;
    const before = clock.monotonic() - IDLE_MS;
    for (const owned of this.#owned.values()) {
      for (const [key, mailbox] of owned.mailboxes) {
        if (mailbox.usedAt < before) owned.closeIdle(key);
      }
    }
    this.#cancelIdleCheck = clock.after(IDLE_CHECK_MS, () => this.#closeIdleMailboxes());
  }
}

/** The command runs only if its call is admitted. */
async function admitFirst(
  { log, leaseHeld, admit }: Pick<HostSettings, 'log' | 'leaseHeld' | 'admit'>,
  ask: IncomingAsk,
  attached: PiggybackedAdmission,
  mailbox: Mailbox,
): Promise<void> {
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

/** Answer to a command that was not run. */
function notRun({ repeat }: IncomingAsk, admission: Admission): Answer {
  // An owner that has gone since may have admitted an earlier ask, and have run it.
  if (!repeat || admission.givenBefore) return { status: 200, body: '', admission };
  if (admission.outcome !== 'admitted-with-caller') return renderFailure({ kind: 'fault' });
  return { status: 200, body: '', admission: { ...admission, mayHaveRun: true } };
}
