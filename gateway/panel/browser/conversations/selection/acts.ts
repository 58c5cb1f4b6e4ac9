/** What may be done with many conversations at once. */
import { isolated } from '../../base/isolated.tsx';
import { changed } from '../../live.ts';
import { SELECTION } from '../../sentences/selection.ts';
import { changePath } from '../state/api.ts';
import type { Assignee } from '../state/assignees.ts';
import type { Act } from './batch.ts';
import type { Selected } from './selection.ts';

const OF_CONVERSATION = {
  pathOf: ({ id }: Selected) => changePath(id),
  tell: ({ id }: Selected) => changed('conversation', id),
};

export function assignTo({ id, text }: Assignee): Act {
  return {
    doing: SELECTION.assigning,
    done: (count) => (id === null ? SELECTION.unassigned(count) : SELECTION.assigned(count, text)),
    body: { assignedTo: id },
    ...OF_CONVERSATION,
  };
}

export const RESOLVE: Act = {
  doing: SELECTION.resolving,
  done: SELECTION.resolved,
  body: { status: 'resolved' },
  ...OF_CONVERSATION,
};

/** The tag is the contact's; the tags that it has stay. */
export function addTag(tag: string): Act {
  return {
    doing: SELECTION.tagging,
    done: (count) => SELECTION.tagged(count, isolated(tag)),
    pathOf: ({ contactId }) => `/api/v1/contacts/${encodeURIComponent(contactId)}`,
    body: { tags: [tag] },
    tell: ({ contactId }) => changed('contact', contactId),
  };
}
