/**
 * The check of a template before its message is accepted, and the text that the contact reads. The
 * network's own rules, so that it refuses nothing that the service has accepted (D284).
 */
import {
  notApproved,
  otherLanguages,
  TEMPLATE_SENTENCES,
  unfillable,
} from '../../shared/api/template-sentences.ts';
import type { Issue } from '../../shared/failures.ts';
import type { TemplateMessage, TemplateValues } from '../../shared/message-content.ts';
import type { NetworkTemplate } from '../../shared/ports/network.ts';
import { readTemplateForm, type TemplateForm } from '../../shared/template-form.ts';
import { fillVariables } from '../../shared/text/template-variables.ts';
import { bodyIssues, bodyValues } from './template/body.ts';
import { buttonIssues, fillButtons } from './template/buttons.ts';
import { type Attached, fillHeader, headerIssues, headerText } from './template/header.ts';

/** The synchronised template of a message's name and language, or what is known instead. */
export type FoundTemplate =
  | { readonly found: true; readonly template: NetworkTemplate }
  /** `reason` (Portuguese): no template of the account is known at all. */
  | { readonly found: false; readonly languages: readonly string[]; readonly reason?: string };

export interface AskedTemplate {
  readonly values: TemplateValues;
  readonly attached: Attached;
  /** Path of the file's field; `header` unless given. */
  readonly attachedAt?: 'header.mediaUrl' | 'header.mediaId';
}

/** Paths of issues are relative to the template's field. */
export type CheckedTemplate =
  | { readonly issues: readonly Issue[] }
  | { readonly message: TemplateMessage; readonly text: string };

const SENDABLE_STATUS = 'APPROVED';
const MARKETING_CATEGORY = 'MARKETING';

/** Whether a contact may have asked to get no such template. */
export function isMarketing({ category }: Pick<NetworkTemplate, 'category'>): boolean {
  return category === MARKETING_CATEGORY;
}

function missingIssue(found: Extract<FoundTemplate, { found: false }>): Issue {
  if (found.reason !== undefined) return { path: 'name', message: found.reason };
  if (found.languages.length === 0) return { path: 'name', message: TEMPLATE_SENTENCES.unknown };
  return { path: 'language', message: otherLanguages(found.languages) };
}

function stateIssue({ status }: NetworkTemplate, form: TemplateForm): Issue | null {
  if (status !== SENDABLE_STATUS) return { path: 'name', message: notApproved(status) };
  return form.unfillable === null ? null : { path: 'name', message: unfillable(form.unfillable) };
}

/** The parts of the message, a blank line between them. */
function render(form: TemplateForm, header: string | null, body: string): string {
  return [header, body, form.footer].filter((part) => part !== null && part !== '').join('\n\n');
}

/** Every problem of a template's values at its path, or the message and its text. */
export function checkTemplate(found: FoundTemplate, asked: AskedTemplate): CheckedTemplate {
  if (!found.found) return { issues: [missingIssue(found)] };
  const { values, attached, attachedAt = 'header' } = asked;
  const { template } = found;
  const { named } = template;
  const form = readTemplateForm(template);
  const refused = stateIssue(template, form);
  if (refused) return { issues: [refused] };
  const text = values.header?.text;
  const given = { form, named, given: values.body };
  const body = bodyValues(given);
  const buttons = { form, given: values.buttons ?? [], body };
  const issues = [
    ...headerIssues({ form, text, attached, attachedAt }),
    ...bodyIssues(given),
    ...buttonIssues(buttons),
  ];
  if (issues.length > 0) return { issues };
  return {
    message: {
      name: template.name,
      language: template.language,
      ...fillHeader(form, { named, text }),
      body: form.variables.map(({ name }) => {
        const value = body.get(name) ?? '';
        return named ? { text: value, parameter: name } : { text: value };
      }),
      buttons: fillButtons(buttons),
      ...(isMarketing(template) ? { marketing: true } : {}),
    },
    text: render(form, headerText(form, text), fillVariables(form.body, body)),
  };
}
