/** The value of a template's header: a text, or the file of the message. */
import {
  missingFile,
  otherFile,
  TEMPLATE_SENTENCES,
  tooLong,
} from '../../../shared/api/template-sentences.ts';
import type { Issue } from '../../../shared/failures.ts';
import type { MediaKind } from '../../../shared/media.ts';
import type { TemplateMessage } from '../../../shared/message-content.ts';
import type { TemplateForm } from '../../../shared/template-form.ts';
import { TEMPLATE_HEADER_MAX_CHARS } from '../../../shared/template-limits.ts';
import { fillVariables } from '../../../shared/text/template-variables.ts';
import { charsOf, parameterProblem } from './parameter-text.ts';

/** `file`: of a kind that is not known before its download. */
export type Attached = MediaKind | 'file' | null;

interface Asked {
  readonly form: TemplateForm;
  readonly text: string | undefined;
  readonly attached: Attached;
  /** The field that names the file. */
  readonly attachedAt: string;
}

/** The header as the contact reads it; null where it is a file, or where there is none. */
export function headerText(form: TemplateForm, value: string | undefined): string | null {
  const { header } = form;
  if (header?.format !== 'text') return null;
  if (!header.variable || value === undefined) return header.text;
  return fillVariables(header.text, new Map([[header.variable.name, value]]));
}

function textIssues({ form, text, attached, attachedAt }: Asked): readonly Issue[] {
  if (attached !== null) return [{ path: attachedAt, message: TEMPLATE_SENTENCES.textHeader }];
  if (text === undefined) return [{ path: 'header', message: TEMPLATE_SENTENCES.headerText }];
  const problem = parameterProblem(text);
  if (problem !== null) return [{ path: 'header.text', message: problem }];
  const chars = charsOf(headerText(form, text) ?? '');
  if (chars <= TEMPLATE_HEADER_MAX_CHARS) return [];
  return [{ path: 'header.text', message: tooLong(TEMPLATE_HEADER_MAX_CHARS, chars) }];
}

/** Problems of the header's value. */
export function headerIssues(asked: Asked): readonly Issue[] {
  const { form, text, attached, attachedAt } = asked;
  const { header } = form;
  if (header === null || (header.format === 'text' && !header.variable)) {
    const path = text === undefined ? attachedAt : 'header.text';
    const isGiven = text !== undefined || attached !== null;
    return isGiven ? [{ path, message: TEMPLATE_SENTENCES.superfluousHeader }] : [];
  }
  if (header.format === 'text') return textIssues(asked);
  if (header.format === 'location') return [];
  if (text !== undefined) return [{ path: 'header.text', message: missingFile(header.format) }];
  if (attached === null) return [{ path: 'header', message: missingFile(header.format) }];
  if (attached === 'file' || attached === header.format) return [];
  return [{ path: attachedAt, message: otherFile(header.format) }];
}

/** The header's parameter of a valid message. */
export function fillHeader(
  form: TemplateForm,
  { named, text }: { readonly named: boolean; readonly text: string | undefined },
): Pick<TemplateMessage, 'header'> {
  const { header } = form;
  if (header?.format !== 'text' || !header.variable || text === undefined) return {};
  return { header: named ? { text, parameter: header.variable.name } : { text } };
}
