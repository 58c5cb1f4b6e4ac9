/** Request of an `http` step: its URL, headers and body rendered. */

import { renderTemplate } from '../../../shared/liquid/template.ts';
import { isOwnHeader } from '../../../shared/provisioning/flow-headers.ts';
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';
import type { ConversationState } from '../conversation/conversation.ts';
import type { CurrentStep } from './arrival.ts';
import { scopeOf } from './context.ts';

export interface CallRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type Calling = CurrentStep<StepOf<'http'>>;

/**
 * Null when a template fails.
 * @param eventPrefix of the headers of deliveries (EVENT_HEADER_PREFIX)
 */
export function requestOf(
  state: ConversationState,
  { run, step, context }: Calling,
  eventPrefix: string,
): CallRequest | null {
  const scope = scopeOf(state, run, context);
  const render = (template: string): string | null => {
    const rendered = renderTemplate(template, scope);
    return 'failed' in rendered ? null : rendered.text;
  };
  const url = render(step.url)?.trim() ?? null;
  const body = step.body === undefined ? '' : render(step.body);
  if (url === null || body === null) return null;
  const headers: Record<string, string> = {
    'user-agent': 'Recado-Flows/1.0',
    ...(step.body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
  };
  for (const [name, template] of Object.entries(step.headers ?? {})) {
    // Of a flow that was applied when this name was still taken.
    if (isOwnHeader(name, eventPrefix)) continue;
    const value = render(template);
    if (value === null) return null;
    headers[name.toLowerCase()] = value.replaceAll(/[\r\n\0]+/g, ' ').trim();
  }
  headers['idempotency-key'] = context.nameOf('call');
  const method = step.method ?? (step.body === undefined ? 'GET' : 'POST');
  return { method, url, headers, body: step.body === undefined ? null : body };
}
