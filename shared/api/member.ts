/** The team as the API shows it. */
import * as v from 'valibot';
import { MEMBER_ROLES } from '../vocabulary.ts';
import { id } from './fields.ts';

export const MemberSchema = v.object({
  id,
  name: v.string(),
  role: v.picklist(MEMBER_ROLES),
  /** False: the member keeps what is theirs, and cannot sign in. */
  enabled: v.boolean(),
});
export type Member = v.InferOutput<typeof MemberSchema>;

export const ListMembersAnswer = v.object({ data: v.array(MemberSchema) });
