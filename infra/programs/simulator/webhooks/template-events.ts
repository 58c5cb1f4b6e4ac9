/**
 * Webhooks about the templates of an account: fields of their own, of no number.
 *
 * Sources: Meta, webhook references of `message_template_status_update` (April 2026),
 * `message_template_components_update` (May 2026), `template_category_update` (November 2025);
 * david-lev/pywa 4.4.0, tests/data/updates/template_*.json. Ids of templates are JSON numbers.
 */
import { buttonsOf, componentOf, type TemplateButton } from '../cloud/templates/components.ts';
import type { Template, TemplateCategory, TemplateQuality } from '../cloud/templates/types.ts';
import type { WebhookEntry } from './entry.ts';

/** Fields of the account whose entries are whole values. */
export const TEMPLATE_FIELDS = [
  'message_template_status_update',
  'message_template_quality_update',
  'template_category_update',
  'message_template_components_update',
] as const;

type Field = (typeof TEMPLATE_FIELDS)[number];

function entryOf(
  kind: Field,
  { id, name, language }: Template,
  more: Readonly<Record<string, unknown>>,
): WebhookEntry {
  const value = {
    message_template_id: Number(id),
    message_template_name: name,
    message_template_language: language,
    ...more,
  };
  return { kind, json: JSON.stringify(value) };
}

export interface StatusDetails {
  readonly rejectionInfo?: { readonly reason: string; readonly recommendation: string } | undefined;
  readonly otherInfo?: { readonly title: string; readonly description: string } | undefined;
}

/** A template's new status; `event` may also be a word that is no status. */
export function statusEntry(
  template: Template,
  event: string,
  { rejectionInfo, otherInfo }: StatusDetails = {},
): WebhookEntry {
  const disabled = event === 'DISABLED';
  return entryOf('message_template_status_update', template, {
    event,
    reason: template.rejectedReason,
    message_template_category: template.category,
    ...(disabled
      ? { disable_info: { disable_date: String(Math.floor(template.updatedAt / 1000)) } }
      : {}),
    ...(otherInfo === undefined ? {} : { other_info: otherInfo }),
    ...(rejectionInfo === undefined ? {} : { rejection_info: rejectionInfo }),
  });
}

export function qualityEntry(template: Template, previous: TemplateQuality): WebhookEntry {
  return entryOf('message_template_quality_update', template, {
    previous_quality_score: previous,
    new_quality_score: template.quality,
  });
}

export function categoryEntry(template: Template, previous: TemplateCategory): WebhookEntry {
  return entryOf('template_category_update', template, {
    previous_category: previous,
    new_category: template.category,
  });
}

export function componentsEntry(template: Template): WebhookEntry {
  const { components } = template;
  const header = componentOf(components, 'HEADER');
  const title = header?.format === 'TEXT' ? header.text : undefined;
  const footer = componentOf(components, 'FOOTER')?.text;
  const buttons = buttonsOf(components).flatMap(reportedButton);
  return entryOf('message_template_components_update', template, {
    message_template_element: componentOf(components, 'BODY')?.text ?? '',
    ...(title === undefined ? {} : { message_template_title: title }),
    ...(footer === undefined ? {} : { message_template_footer: footer }),
    ...(buttons.length === 0 ? {} : { message_template_buttons: buttons }),
  });
}

/** Buttons with an address or a phone alone are told. */
function reportedButton(button: TemplateButton): readonly Readonly<Record<string, string>>[] {
  if (button.type === 'URL') {
    return [
      {
        message_template_button_type: button.type,
        message_template_button_text: button.text,
        message_template_button_url: button.url,
      },
    ];
  }
  if (button.type !== 'PHONE_NUMBER') return [];
  return [
    {
      message_template_button_type: button.type,
      message_template_button_text: button.text,
      message_template_button_phone_number: button.phone_number,
    },
  ];
}
