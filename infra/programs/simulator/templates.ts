/**
 * The templates of the simulated business accounts. An account comes with a few of them as soon as
 * it is named; a control clears them. Ids and names are never used again within a run.
 */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { TemplateComponent } from './template-components.ts';
import { SEEDS } from './template-seeds.ts';

/** Meta, "Templates", status; david-lev/pywa 4.4.0, TemplateStatus. */
export const TEMPLATE_STATUSES = [
  ...(['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL'] as const),
  ...(['PENDING_DELETION', 'DELETED', 'LIMIT_EXCEEDED', 'ARCHIVED'] as const),
];
export const TEMPLATE_CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;
/** Meta, "Template quality rating" (June 2026). */
export const TEMPLATE_QUALITIES = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const;
export const PARAMETER_FORMATS = ['POSITIONAL', 'NAMED'] as const;

export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];
export type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];
export type TemplateQuality = (typeof TEMPLATE_QUALITIES)[number];
export type ParameterFormat = (typeof PARAMETER_FORMATS)[number];

/** A template without the properties that its account gives it. */
export interface TemplateDraft {
  readonly name: string;
  readonly language: string;
  readonly category: TemplateCategory;
  readonly parameterFormat: ParameterFormat;
  readonly components: readonly TemplateComponent[];
  readonly status: TemplateStatus;
  readonly quality: TemplateQuality;
  /** `NONE`, or the network's word. */
  readonly rejectedReason: string;
}

export interface Template extends TemplateDraft {
  readonly id: string;
  readonly accountId: string;
  readonly previousCategory?: TemplateCategory | undefined;
  /** Epoch milliseconds of the last change. */
  readonly updatedAt: number;
}

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
