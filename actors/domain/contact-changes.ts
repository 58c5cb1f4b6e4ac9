/**
 * What a commit changes of a contact, of what the API shows and a caller may have set (D430). What
 * is set to the value that it had is no change.
 */
import type { ContactChanged } from '../../shared/vocabulary.ts';
import { type ContactState, hasStoppedMarketing, isOptedOut } from './contact.ts';
import { isSame } from './is-same.ts';

type Watched = (state: ContactState) => unknown;

/** In the order of the vocabulary. An opt-in that ends and one that never was are two values. */
const WATCHED: Readonly<Record<ContactChanged, Watched>> = {
  name: ({ name }) => name,
  email: ({ email }) => email,
  fields: ({ fields }) => fields,
  tags: ({ tags }) => tags,
  optIn: (state) => [state.optIn, isOptedOut(state)],
  marketingOptOut: hasStoppedMarketing,
};

export function changesOf(before: ContactState, after: ContactState): readonly ContactChanged[] {
  const names = Object.keys(WATCHED).filter((name): name is ContactChanged => name in WATCHED);
  return names.filter((name) => !isSame(WATCHED[name](before), WATCHED[name](after)));
}
