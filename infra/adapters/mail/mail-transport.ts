/**
 * A transport of nodemailer, loaded with the first mail. Its modules are a fifth of a process's
 * start, and most processes send none.
 */
type Nodemailer = typeof import('nodemailer');

export class MailTransport<T extends { close(): void }> {
  readonly #create: (nodemailer: Nodemailer) => T;
  #opened: Promise<T> | null = null;

  constructor(create: (nodemailer: Nodemailer) => T) {
    this.#create = create;
  }

  open(): Promise<T> {
    this.#opened ??= import('nodemailer').then(this.#create);
    return this.#opened;
  }

  async close(): Promise<void> {
    (await this.#opened)?.close();
  }
}
