/** A template of a business account, and the network's words for its states. */
import type { TemplateComponent } from './components.ts';

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
