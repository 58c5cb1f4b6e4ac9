/** Who may be put in charge of a conversation, as a menu offers them. */
import { isolated } from '../../base/isolated.tsx';
import { TEXT } from '../../sentences.ts';
import { session } from '../../session.ts';
import { attendantsIn, type TeamMember } from './api.ts';

const { actions } = TEXT;

export interface Assignee {
  /** Null: nobody. */
  readonly id: string | null;
  readonly text: string;
}

/** None before the team is read: the first one would be nobody. */
export function assigneesIn(team: readonly TeamMember[]): readonly Assignee[] {
  if (team.length === 0) return [];
  const own = session.value?.member?.id;
  const members = attendantsIn(team).map(({ id, name }) => ({
    id,
    text: id === own ? `${isolated(name)} (${actions.assignMe.toLowerCase()})` : isolated(name),
  }));
  return [...members, { id: null, text: actions.assignNobody }];
}
