/** The states of templates as the record has shown them, in order. */
import type { TemplateDocument } from '../../../../actors/model/template.ts';
import type { Write } from '../../../support/plain-store.ts';
import type { Store } from '../../checkers/history.ts';
import type { Database } from '../memory/database.ts';

export class TemplateHistory {
  readonly #database: Database;
  readonly #last = new Map<string, string>();
  readonly states: NonNullable<Store['templates']>[number][] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** The write has taken effect: an account may show another listing. */
  record(write: Write, at: number): void {
    if (!('update' in write) || write.update !== 'businessAccounts') return;
    const { shown } = Object(Object(write.change).$set);
    if (shown === undefined) return;
    const listed = this.#database.all('templates') as unknown as readonly TemplateDocument[];
    for (const { name, status, listing } of listed) {
      if (listing !== shown || this.#last.get(name) === status) continue;
      this.#last.set(name, status);
      this.states.push({ at, name, status });
    }
  }
}
