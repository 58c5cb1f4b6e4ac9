/**
 * A process's connection to the bus. The installation's prefix (`NATS_PREFIX`) takes the place of
 * the first token of every subject, so that two installations on one server do not hear each other.
 * Inboxes are named by role: permissions of the server keep a role from answers to another one
 * (`permissions.ts`).
 */
import { createInbox, type NatsConnection } from 'nats';
import { inboxSubject, prefixed, SUBJECT_ROOT } from '../../../shared/wire/subjects.ts';
import type { BusRole } from './permissions.ts';

/** What the parts of the bus see of it. */
export interface Wire
  extends Pick<NatsConnection, 'publish' | 'subscribe' | 'isClosed' | 'isDraining'> {
  /** Of this process: what it is answered comes below it. */
  readonly inbox: string;
  /** A subject for the answers to one question. */
  newInbox(): string;
}

export interface WireSettings {
  readonly prefix: string;
  readonly role: BusRole;
  readonly processId: string;
}

export class InstallationWire implements Wire {
  readonly #connection: NatsConnection;
  readonly prefix: string;
  readonly inbox: string;

  constructor(connection: NatsConnection, { prefix, role, processId }: WireSettings) {
    this.#connection = connection;
    this.prefix = prefix;
    this.inbox = inboxSubject(role, processId);
  }

  publish: Wire['publish'] = (subject, payload, options) => {
    const { reply } = options ?? {};
    const isSame = reply === undefined || this.prefix === SUBJECT_ROOT;
    const given = isSame ? options : { ...options, reply: this.named(reply) };
    this.#connection.publish(this.named(subject), payload, given);
  };

  subscribe: Wire['subscribe'] = (subject, options) =>
    this.#connection.subscribe(this.named(subject), options);

  isClosed: Wire['isClosed'] = () => this.#connection.isClosed();

  isDraining: Wire['isDraining'] = () => this.#connection.isDraining();

  newInbox(): string {
    return createInbox(`${this.inbox}.once`);
  }

  /** As it is on the server. A reply that was received has that form already. */
  named(subject: string): string {
    return prefixed(subject, this.prefix);
  }
}
