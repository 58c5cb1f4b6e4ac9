/**
 * Content of a `send` step as it is sent: its texts rendered, then judged by the schemas of the
 * API's own body. Both ways of sending have the same limits.
 */
import {
  type Judged,
  judgeContacts,
  judgeInteractive,
  judgeLocation,
  judgeTemplate,
} from '../../../shared/api/judge-content.ts';
import type { Issue } from '../../../shared/failures.ts';
import { renderTemplate, type TemplateScope } from '../../../shared/liquid/template.ts';
import type { MessageContent, TemplateValues } from '../../../shared/message-content.ts';
import { isLiteralField } from '../../../shared/provisioning/flow-content.ts';
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';

/** A template failed, which ends the run. */
export interface Failed {
  readonly failed: true;
}

export interface Refused {
  readonly issues: readonly Issue[];
}

/**
 * The value with every text rendered. An empty text is left out of its object, so that an optional
 * part may be empty. Null when a template fails.
 */
function rendered(written: unknown, scope: TemplateScope): { readonly value: unknown } | null {
  let failed = false;
  const walk = (value: unknown, holder: string): unknown => {
    if (typeof value === 'string') {
      const text = renderTemplate(value, scope);
      if ('failed' in text) failed = true;
      return 'failed' in text ? '' : text.text.trim();
    }
    if (Array.isArray(value)) return value.map((each) => walk(each, holder));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value)
      .map(([name, each]): [string, unknown] => [
        name,
        isLiteralField(holder, name) ? each : walk(each, name),
      ])
      .filter(([, each]) => each !== '');
    return Object.fromEntries(entries);
  };
  const value = walk(written, '');
  return failed ? null : { value };
}

/** Its texts rendered, then judged. */
function judged<Read>(
  judge: (value: unknown, at: string) => Judged<Read>,
  written: unknown,
  { at, scope }: { readonly at: string; readonly scope: TemplateScope },
): Judged<Read> | Failed {
  const value = rendered(written, scope);
  return value ? judge(value.value, at) : { failed: true };
}

type Send = StepOf<'send'>;
type Plain = Extract<MessageContent, { readonly type: 'interactive' | 'location' | 'contacts' }>;

/** Buttons, a list, a place or cards of the step; null where it has none of them. */
export function plainContent(
  step: Send,
  scope: TemplateScope,
): { readonly content: Plain } | Refused | Failed | null {
  const { interactive, location, contacts } = step;
  if (interactive) {
    const found = judged(judgeInteractive, interactive, { at: 'interactive', scope });
    if (!('read' in found)) return found;
    return { content: { type: 'interactive', interactive: found.read } };
  }
  if (location) {
    const found = judged(judgeLocation, location, { at: 'location', scope });
    if (!('read' in found)) return found;
    return { content: { type: 'location', location: found.read } };
  }
  if (!contacts) return null;
  const found = judged(judgeContacts, contacts, { at: 'contacts', scope });
  return 'read' in found ? { content: { type: 'contacts', contacts: found.read } } : found;
}

/** The values of the step's template; a file of its header is not among them. */
export function templateValues(
  written: NonNullable<Send['template']>,
  { at, scope }: { readonly at: string; readonly scope: TemplateScope },
): { readonly values: TemplateValues } | Refused | Failed {
  const { header, ...rest } = written;
  const { text } = header ?? {};
  const given = { ...rest, ...(text === undefined ? {} : { header: { text } }) };
  const found = judged(judgeTemplate, given, { at, scope });
  if (!('read' in found)) return found;
  const { name, language, body, buttons } = found.read;
  const headerText = found.read.header?.text;
  return {
    values: {
      name,
      language,
      ...(headerText === undefined ? {} : { header: { text: headerText } }),
      ...(body === undefined ? {} : { body }),
      ...(buttons === undefined ? {} : { buttons }),
    },
  };
}
