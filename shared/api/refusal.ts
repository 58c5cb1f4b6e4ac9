/** Every error's body (C7.1). */
import * as v from 'valibot';

const IssueSchema = v.object({ path: v.string(), message: v.string() });

export const RefusalSchema = v.object({ error: v.string() });

export const ValidationRefusalSchema = v.object({
  error: v.string(),
  issues: v.array(IssueSchema),
});
