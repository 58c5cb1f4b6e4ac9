/**
 * The templates of the simulated business accounts. An account comes with a few of them as soon as
 * it is named; a control clears them. Ids and names are never used again within a run.
 */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../../../../shared/ports/clock.ts';
import { SEEDS } from './seeds.ts';
import type { Template, TemplateDraft } from './types.ts';

const DIGITS = 15;

export class Templates {
  readonly #clock: Clock;
  #seeded = true;
  readonly #accounts = new Map<string, Map<string, Template>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All of an account, in the order in which they were made. */
  list(accountId: string): readonly Template[] {
    return [...this.#account(accountId).values()];
  }

  find(accountId: string, name: string, language: string): Template | undefined {
    return this.list(accountId).find((each) => each.name === name && each.language === language);
  }

  byId(id: string): Template | undefined {
    for (const templates of this.#accounts.values()) {
      const found = templates.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  add(accountId: string, draft: TemplateDraft): Template {
    const template = { ...draft, id: freshId(), accountId, updatedAt: this.#clock.now() };
    this.#account(accountId).set(template.id, template);
    return template;
  }

  change(
    template: Template,
    changes: Partial<Omit<Template, 'id' | 'accountId' | 'updatedAt'>>,
  ): Template {
    const changed = { ...template, ...changes, updatedAt: this.#clock.now() };
    this.#account(template.accountId).set(template.id, changed);
    return changed;
  }

  remove({ accountId, id }: Template): void {
    this.#account(accountId).delete(id);
  }

  /** No templates from now on, not even the first ones, of one account or of all. */
  empty(accountId: string | null): void {
    if (accountId !== null) {
      this.#accounts.set(accountId, new Map());
      return;
    }
    this.#accounts.clear();
    this.#seeded = false;
  }

  known(): readonly string[] {
    return [...this.#accounts.keys()];
  }

  /** As before the first call: accounts come with their first templates again. */
  clear(): void {
    this.#accounts.clear();
    this.#seeded = true;
  }

  #account(accountId: string): Map<string, Template> {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const templates = new Map<string, Template>();
    this.#accounts.set(accountId, templates);
    for (const draft of this.#seeded ? SEEDS : []) this.add(accountId, draft);
    return templates;
  }
}

/** Digits, as Meta's own ids; small enough for a JSON number. */
function freshId(): string {
  const digits = Array.from({ length: DIGITS - 1 }, () => String(randomInt(10)));
  return `${randomInt(1, 9)}${digits.join('')}`;
}
