/** Templates of the official network's account: their states there, and what it does of each. */
import type { NetworkTemplate, SendOutcome } from '../../../../shared/ports/network.ts';
import type { SeededRandom } from '../world/seeded-random.ts';

export const LANGUAGE = 'pt_BR';
/** Their only variable is their whole text, so that messages are known by it. */
const TEMPLATES = { aviso: 'UTILITY', lembrete: 'UTILITY', promocao: 'MARKETING' } as const;
export type TemplateName = keyof typeof TEMPLATES;
export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[];
const APPROVED = 'APPROVED';
const OTHER_STATES = ['PENDING', 'REJECTED', 'PAUSED', 'DISABLED'] as const;
const REFUSALS: Readonly<Record<string, string>> = { PAUSED: '132015', DISABLED: '132016' };
const UNKNOWN_TEMPLATE = '132001';

export class NetworkTemplates {
  readonly #states = new Map<string, string>(TEMPLATE_NAMES.map((name) => [name, APPROVED]));

  /** Most changes let a template be sent again. */
  change(random: SeededRandom): string {
    const name = random.pick(TEMPLATE_NAMES);
    const isApproved = this.#states.get(name) === APPROVED;
    const state = isApproved || random.happens(0.2) ? random.pick(OTHER_STATES) : APPROVED;
    this.#states.set(name, state);
    return `${name} is ${state}`;
  }

  listed(): readonly NetworkTemplate[] {
    return TEMPLATE_NAMES.map((name) => ({
      ...{ networkId: `tpl.${name}`, name, language: LANGUAGE, category: TEMPLATES[name] },
      status: this.#states.get(name) ?? '',
      ...{ quality: null, named: false, components: [{ type: 'BODY', text: '{{1}}' }] },
    }));
  }

  /** Null where it is sent. */
  refusal(name: string): SendOutcome | null {
    const state = this.#states.get(name) ?? '';
    if (state === APPROVED) return null;
    const code = REFUSALS[state] ?? UNKNOWN_TEMPLATE;
    const reason = 'O modelo não pode ser enviado.';
    return { outcome: 'refused', code, reason, aboutTemplate: true };
  }

  isMarketing(name: string): boolean {
    return Reflect.get(TEMPLATES, name) === 'MARKETING';
  }
}
