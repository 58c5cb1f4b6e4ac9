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

export function assigneesIn(team: readonly TeamMember[]): readonly Assignee[] {
  const own = session.value?.member?.id;
  const members = attendantsIn(team).map(({ id, name }) => ({
    id,
    text: id === own ? `${isolated(name)} (${actions.assignMe.toLowerCase()})` : isolated(name),
  }));
  return [...members, { id: null, text: actions.assignNobody }];
}
