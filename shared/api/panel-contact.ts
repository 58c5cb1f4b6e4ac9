/** Schema of what the panel asks of contacts. */
import * as v from 'valibot';
import { anyText, choice, pageEntries, requestObject, tagText } from './fields.ts';

/** Accepts messages, has refused them, or has said neither. */
const CONSENTS = ['yes', 'no', 'none'] as const;

export const ListPanelContactsQuery = requestObject({
  query: v.optional(anyText),
  tag: v.optional(tagText),
  consent: v.optional(choice(CONSENTS)),
  ...pageEntries,
});
