/** An organization's tags as the API shows them. */
import * as v from 'valibot';
import { pageEntries, pageSiblings, requestObject } from './fields.ts';

export const TagSchema = v.object({ name: v.string() });

export const ListTagsQuery = requestObject(pageEntries);
export const ListTagsAnswer = v.object({ data: v.array(TagSchema), ...pageSiblings });
