/** Schemas of what the panel asks of conversations. */
import * as v from 'valibot';
import { AUTOMATION_PAUSE_MAX_MS } from '../limits.ts';
import { ListConversationsQuery } from './conversation.ts';
import { anyText, booleanField, idText, requestObject, wholeBetween } from './fields.ts';

const MINUTE_MS = 60_000;

export const ListPanelConversationsQuery = requestObject({
  ...ListConversationsQuery.entries,
  /** A member's id, or `none`. */
  assignedTo: v.optional(idText),
  unread: v.optional(booleanField),
  query: v.optional(anyText),
});

export const AssignBody = requestObject({ memberId: v.nullable(idText) });
export const PauseBody = requestObject({
  minutes: wholeBetween(1, AUTOMATION_PAUSE_MAX_MS / MINUTE_MS),
});
