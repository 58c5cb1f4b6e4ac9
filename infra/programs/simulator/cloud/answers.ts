/**
 * A contact's choice among the buttons or rows of a message, in the webhook's fields: pure.
 *
 * Sources: david-lev/pywa 4.4.0, tests/data/updates/callback_button.json and
 * callback_selection.json: `button_reply` and `list_reply` of interactive messages, `button` of a
 * template's quick reply.
 */

import type { SentMessage } from '../logs/sent.ts';
import type { InboundRequest } from '../network/inbound.ts';

type Answer = Pick<InboundRequest, 'choice'> | Pick<InboundRequest, 'button'>;

interface Chosen {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
}

/** Null where the message is unknown, or has no such button or row. */
export function answerOf(message: SentMessage | undefined, chosen: Chosen): Answer | null {
  const isChosen = ({ id, title }: { readonly id: string; readonly title: string }) =>
    chosen.id === undefined ? chosen.title === title : chosen.id === id;
  const { interactive, template } = message ?? {};
  const button = interactive?.buttons?.find(isChosen);
  if (button !== undefined) return { choice: { ...button, row: false } };
  const rows = interactive?.sections?.flatMap((section) => section.rows) ?? [];
  const row = rows.find(isChosen);
  if (row !== undefined) return { choice: { ...row, row: true } };
  for (const { type, text, payload = text } of template?.buttons ?? []) {
    if (type === 'QUICK_REPLY' && isChosen({ id: payload, title: text })) {
      return { button: { payload, text } };
    }
  }
  return null;
}
