/** The conversations of a process whose lease the test takes away and gives back, on the model. */

import assert from 'node:assert/strict';
import type { Actor } from '../../../actors/runtime/kind.ts';
import type { Address, Answer, CommandOf } from '../../../shared/ports/bus.ts';
import {
  EVERY_PARTITION,
  PARTITIONS_PER_SHELF,
  partitionOf,
  shelfOf,
} from '../../../shared/wire/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import type { Database } from '../simulation/memory/database.ts';
import { environmentOf, kindOf } from './environment.ts';
import { modelStore } from './model-store.ts';

const ASK_MS = 8_000;

function answerOf({ kind, key }: Address, command: CommandOf): Answer {
  const contact = { id: key, phone: 'phone' in command ? command.phone : '', name: null };
  return { status: 200, body: kind === 'contact' ? JSON.stringify(contact) : '{}' };
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

/** Ids of conversations, all of one partition. */
export function conversationsIn(partition: number, count: number): string[] {
  const [shelf, slot] = [shelfOf(partition), partition % PARTITIONS_PER_SHELF];
  const prefix = `cnv_${DIGITS[shelf]}${slot > 0 ? DIGITS[slot] : ''}`;
  const ids = Array.from({ length: count }, (_, n) => `${prefix}_${String(n).padStart(22, '0')}`);
  assert.ok(ids.every((id) => partitionOf('conversation', id) === partition));
  return ids;
}

/** Whether a commit is that of a snapshot. */
export function hasSnapshot(writes: readonly Write[]): boolean {
  return writes.some((each) => 'update' in each && each.update === 'conversations');
}

export class LeasedConversations {
  readonly clock = new ManualClock();
  readonly kind: ReturnType<typeof kindOf>;
  leaseHeld = true;
  /** Called before a fan-out is answered. */
  onFanOut: () => Promise<void> = () => Promise.resolve();
  /** Names of the events that were asked to be recorded, in order. */
  readonly published: string[] = [];
  /** Ids of the events that each of those has named, by its own name. */
  readonly named = new Map<string, readonly string[]>();
  #barrier: ((asked: unknown) => Promise<unknown>) | null = null;

  constructor(database: Database, around: (store: Store) => Store = (store) => store) {
    const bus = {
      ask: async (to: Address, command: CommandOf) => {
        if (command.type === 'record-events') {
          this.published.push(...command.events.map(({ event }) => event));
          for (const { event, after } of command.events) this.named.set(event, after?.events ?? []);
          await this.onFanOut();
        }
        return answerOf(to, command);
      },
      answerAll: (topic: string, answer: () => Promise<unknown>) => {
        if (topic === 'snapshots') this.#barrier = answer;
      },
    };
    const own = { clock: this.clock, bus, leaseHeld: () => this.leaseHeld };
    this.kind = kindOf(
      'conversation',
      environmentOf({ store: around(modelStore(database)), ...own }),
    );
  }

  /** Holds back the answers to fan-outs until the returned function is called. */
  holdFanOuts(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onFanOut = () => promise;
    return resolve;
  }

  turn(key: string, epoch: number, command: CommandOf): Promise<Answer> {
    return this.turnOf(this.kind.open(key, epoch, false), command, epoch);
  }

  turnOf(actor: Pick<Actor, 'turn'>, command: CommandOf, epoch = 1): Promise<Answer> {
    const deadline = this.clock.now() + ASK_MS;
    return actor.turn(command, { deadline, repeat: false, epoch });
  }

  send(key: string, epoch: number): Promise<Answer> {
    return this.turn(key, epoch, this.sendOf(key));
  }

  sendOf(key: string): CommandOf {
    return {
      ...{ id: `msg_${key}`, type: 'send', orgId: 'org_1', channelId: 'chn_1', origin: 'api' },
      ...{ phone: '5511998877665', byConversation: false, channelScope: false },
      ...{ text: 'oi', authorLabel: 'ERP' },
    };
  }

  /** The network has taken the message: it leaves the send agenda, and has an event to tell. */
  sent(key: string, epoch: number): Promise<Answer> {
    return this.turn(key, epoch, this.receiptOf(key, 'sent'));
  }

  receiptOf(key: string, status: 'sent' | 'delivered' | 'read'): CommandOf {
    const receipt = { status, at: this.clock.now(), externalId: `ext_${key}` };
    const id = `cmd_${key}_${status}`;
    return { id, type: 'receipt', messageId: `msg_${key}`, networkId: null, receipt };
  }

  /** As the membership does when the lease is lost. */
  lose(partition: number): void {
    this.leaseHeld = false;
    this.kind.release(partition);
  }

  /** Loses its lease, and joins anew. */
  rejoin(partition: number): void {
    this.lose(partition);
    this.leaseHeld = true;
  }

  /** The partitions that it answers for to the reader of a list. */
  async answered(): Promise<readonly number[]> {
    assert.ok(this.#barrier);
    const answer = await this.#barrier({ partitions: EVERY_PARTITION });
    return (answer as { partitions: readonly number[] }).partitions;
  }
}
