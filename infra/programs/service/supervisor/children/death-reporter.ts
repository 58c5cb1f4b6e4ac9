/**
 * Reports a dead process to the member registry, so that others acquire its partitions before its
 * lease ends. It is only a shortcut: if the report fails, the lease still ends.
 */
import type { Db } from 'mongodb';
import type { Log } from '../../../../../shared/ports/log.ts';
import { connectWithRetry } from '../../../../adapters/log/connect-with-retry.ts';
import { mongoHosts } from '../../../../adapters/mongo/address.ts';
import type { MongoConnection } from '../../../../adapters/mongo/client.ts';

/** The MongoDB driver costs 100 ms to load: it is left until the service is up. */
export class DeathReporter {
  readonly #mongodbUrl: string;
  readonly #log: Log;
  #connection: Promise<MongoConnection> | null = null;
  #closed = false;

  constructor(mongodbUrl: string, log: Log) {
    this.#mongodbUrl = mongodbUrl;
    this.#log = log;
  }

  /** Connects ahead of need, and waits for MongoDB while it is missing. */
  connect(): Promise<MongoConnection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  /**
   * Reads again until MongoDB answers: a store that is away must not end the service. After `close`
   * there is no answer.
   */
  async read<T>(question: (db: Db) => Promise<T>): Promise<T> {
    const { db } = await this.connect();
    const server = { name: 'MongoDB', where: mongoHosts(this.#mongodbUrl) };
    return await connectWithRetry(server, { log: this.#log }, async () => {
      if (this.#closed) return await new Promise<never>(() => undefined);
      return await question(db);
    });
  }

  async markDead(processId: string): Promise<void> {
    if (this.#closed) return;
    try {
      const { db } = await this.connect();
      const { markProcessDead } = await import('../../../../adapters/mongo/registry.ts');
      await markProcessDead(db, processId);
    } catch (error) {
      this.#log.warn({ processId, error }, 'death not registered, its lease has to run out');
    }
  }

  /** Does not wait for a connection that never came about. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#connection === null) return;
    const connection = await Promise.race([this.#connection, null]);
    await connection?.client.close();
  }

  async #open(): Promise<MongoConnection> {
    const { connectMongo } = await import('../../../../adapters/mongo/client.ts');
    return await connectMongo(this.#mongodbUrl, this.#log);
  }
}
