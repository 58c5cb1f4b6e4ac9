/**
 * A MongoDB replica set that fails, played in front of an engine that stands alone. A driver that
 * is connected to it does what it does in production: it monitors by a waiting `hello`, asks for
 * majorities, and looks for the next primary.
 *
 * 1. The engine has what a majority has. So a read by majority is passed on, and an acknowledged
 *    write is never taken back.
 * 2. While the primary has lost its majority, every write of every connection is withheld, in its
 *    order of arrival, and none of them is acknowledged. Either the majority comes back, and they
 *    are applied one after another in that order, also those whose callers have gone. Or the
 *    primary steps down, and all of them are rolled back: the engine never had them. No write
 *    overtakes another one that was acknowledged, since nothing is acknowledged meanwhile. What a
 *    real primary decides on writes without a majority (a duplicate key) waits for it too.
 * 3. A write that the engine has when the primary steps down stays, whatever its caller is told.
 * 4. A write under a session's number is applied once (`retried-writes.ts`).
 *
 * Not played: reads that are not by majority, two primaries at once, transactions.
 */
import { Long, ObjectId } from 'mongodb';
import { answerTo, type Body, idOf, withAnswer } from '../mongo-wire.ts';
import { serveTcp } from '../stand-ins/server.ts';
import { ANYWHERE, CODES, type Code, type Fate, RETRYABLE, type Trouble, WRITES } from './codes.ts';
import { Connection, type Member, type Taken, type Upstream } from './connection.ts';
import { numberOf, RetriedWrites } from './retried-writes.ts';
import { byClock } from './server-clock.ts';

const SET_NAME = 'rs';
const SESSION_MINUTES = 30;
const NOTHING: Trouble = () => null;

interface Withheld {
  apply(): Promise<void>;
  rollBack(): void;
}

export interface ReplicaSetServer {
  readonly mongodbUrl: string;
  /** Cuts what is open; what is withheld never comes to the engine. */
  close(): Promise<void>;
}

export class ReplicaSet {
  readonly #connections = new Set<Connection>();
  readonly #processId = new ObjectId();
  readonly #retried = new RetriedWrites();
  readonly #unit: () => number;
  #version = 1;
  #elections = 1;
  #hasPrimary = true;
  #aheadMs = 0;
  #trouble: Trouble = NOTHING;
  /** Null: the primary has its majority. */
  #withheld: Withheld[] | null = null;
  #late: (() => void)[] = [];

  /** @param unit 0…1: what each caller of a write under way is told at a step-down */
  constructor(unit: () => number) {
    this.#unit = unit;
  }

  /** One member's address, for one client's way to the engine: to that client it is all of the set. */
  async listen(upstream: Upstream): Promise<ReplicaSetServer> {
    let me = '';
    const mine = new Set<Connection>();
    const member: Member = {
      version: () => this.#version,
      greeting: (answer) => this.#greeting(answer, me),
      answer: (connection, taken) => this.#answer(connection, taken),
    };
    const server = await serveTcp((client) => {
      const connection = new Connection(member, client, upstream);
      for (const open of [mine, this.#connections]) {
        open.add(connection);
        void connection.ended.then(() => open.delete(connection));
      }
    });
    me = `127.0.0.1:${server.port}`;
    const close = async (): Promise<void> => {
      await server.close();
      for (const connection of mine) connection.end();
    };
    return { mongodbUrl: `mongodb://${me}/?replicaSet=${SET_NAME}`, close };
  }

  /** The majority is away: no write is acknowledged from now on. */
  withhold(): void {
    this.#withheld ??= [];
  }

  get withheldCount(): number {
    return this.#withheld?.length ?? 0;
  }

  /** The majority is back, and has what was withheld. */
  async catchUp(): Promise<void> {
    for (;;) {
      const next = this.#withheld?.shift();
      if (next === undefined) break;
      await next.apply();
    }
    this.#withheld = null;
  }

  /** There is no primary from now on. Connections stay; what was withheld is rolled back. */
  stepDown(): void {
    const rolledBack = this.#withheld ?? [];
    this.#withheld = null;
    this.#hasPrimary = false;
    this.#changed();
    for (const each of rolledBack) each.rollBack();
  }

  /** The primary's machine is gone, and its connections with it. */
  lose(): void {
    this.stepDown();
    for (const connection of this.#connections) connection.cut();
  }

  /** @param aheadMs of the new primary's clock; as the last one's unless given */
  elect(aheadMs: number = this.#aheadMs): void {
    this.#hasPrimary = true;
    this.#elections++;
    this.#aheadMs = aheadMs;
    this.#changed();
  }

  /** The primary's clock jumps to that much ahead of the engine's; below 0: behind it. */
  setClock(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }

  trouble(trouble: Trouble): void {
    this.#trouble = trouble;
  }

  /** The end of `trouble`: answers that are late come now. */
  heal(): void {
    this.#trouble = NOTHING;
    for (const release of this.#late.splice(0)) release();
  }

  #changed(): void {
    this.#version++;
    for (const connection of this.#connections) connection.wake();
  }

  #greeting(answer: Buffer, me: string): Buffer {
    const role = this.#hasPrimary
      ? { isWritablePrimary: true, ismaster: true, secondary: false, primary: me }
      : { isWritablePrimary: false, ismaster: false, secondary: true };
    return withAnswer(answer, (hello) => ({
      ...hello,
      ...{ setName: SET_NAME, setVersion: 1, hosts: [me], me, ...role },
      ...(this.#hasPrimary ? { electionId: electionId(this.#elections) } : {}),
      ...{
        logicalSessionTimeoutMinutes: SESSION_MINUTES,
        topologyVersion: this.#topologyVersion(),
      },
    }));
  }

  #topologyVersion() {
    return { processId: this.#processId, counter: Long.fromNumber(this.#version) };
  }

  async #answer(connection: Connection, taken: Taken): Promise<Buffer | null> {
    const { name } = taken.command;
    const isWrite = WRITES.has(name);
    if (!this.#hasPrimary && !ANYWHERE.has(name)) {
      return this.#refusal(taken, isWrite ? 10107 : 13435);
    }
    if (!isWrite || this.#withheld === null) return await this.#pass(connection, taken, isWrite);
    return await connection.hold(this.#whenDecided(connection, taken, this.#withheld));
  }

  #whenDecided(connection: Connection, taken: Taken, withheld: Withheld[]): Promise<Buffer | null> {
    const { promise, resolve } = Promise.withResolvers<Buffer | null>();
    withheld.push({
      apply: async () => resolve(await this.#pass(connection, taken, true)),
      // Some are told of a failure, the others of nothing.
      rollBack: () => {
        if (this.#unit() < 0.5) return resolve(this.#refusal(taken, 11602));
        resolve(null);
        connection.cut();
      },
    });
    return promise;
  }

  async #pass(connection: Connection, taken: Taken, isWrite: boolean): Promise<Buffer | null> {
    const { message, command } = taken;
    const fate = this.#trouble({ name: command.name, isWrite });
    if (fate === 'cut-before') return cutOff(connection);
    const under = this.#elections;
    const ask = (asked: Buffer) => connection.askEngine(byClock(asked, this.#aheadMs));
    const answer = await this.#retried.once(message, command, ask);
    if (answer === null) return null;
    // The primary may be gone by now, or another one be there.
    const isInterrupted = isWrite && (!this.#hasPrimary || this.#elections !== under);
    if (isInterrupted) return this.#spoilt(taken, answer, this.#interruption());
    if (fate === 'cut-after') return cutOff(connection);
    if (fate !== 'late') return fate === null ? answer : this.#spoilt(taken, answer, fate);
    // The engine may have answered after the end of it.
    if (this.#trouble === NOTHING) return answer;
    await new Promise<void>((resume) => this.#late.push(resume));
    return answer;
  }

  #interruption(): Exclude<Fate, string> {
    return this.#unit() < 0.5 ? { error: 11602 } : { concern: 189 };
  }

  #spoilt(taken: Taken, answer: Buffer, fate: Exclude<Fate, string>): Buffer {
    if ('error' in fate) return this.#refusal(taken, fate.error);
    const writeConcernError = { code: fate.concern, ...CODES[fate.concern] };
    return withAnswer(answer, (body) => ({
      ...{ ...body, writeConcernError, topologyVersion: this.#topologyVersion() },
      ...labelsOf(taken, fate.concern),
    }));
  }

  #refusal(taken: Taken, code: Code): Buffer {
    const topologyVersion = this.#topologyVersion();
    const body = { ok: 0, code, ...CODES[code], topologyVersion, ...labelsOf(taken, code) };
    return answerTo(idOf(taken.message), body);
  }
}

function cutOff(connection: Connection): null {
  connection.cut();
  return null;
}

/** A server labels only what its driver may repeat under the same number. */
function labelsOf({ command }: Taken, code: Code): Body {
  const isLabelled = RETRYABLE.has(code) && numberOf(command) !== null;
  return isLabelled ? { errorLabels: ['RetryableWriteError'] } : {};
}

/** Of the embedded engine's address. */
export function socketOf(uri: string): Upstream {
  const [, host = ''] = /^mongodb:\/\/([^/?]+)/.exec(uri) ?? [];
  return { path: decodeURIComponent(host) };
}

/** Rises with each election: a driver never goes back to an older primary. */
function electionId(election: number): ObjectId {
  return ObjectId.createFromHexString(election.toString(16).padStart(24, '0'));
}
