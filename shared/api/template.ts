/** Templates of business accounts, as the API lists them (D283). */
import * as v from 'valibot';
import { anyText, id, idText, pageEntries, pageSiblings, requestObject } from './fields.ts';

const example = v.optional(v.string());

/** The values that a send of the template gives. */
export const TemplateParametersSchema = v.object({
  header: v.nullable(
    v.object({
      type: v.picklist(['text', 'image', 'video', 'document', 'location']),
      /** Of a text: its number or name. */
      name: v.optional(v.string()),
      example,
    }),
  ),
  body: v.array(v.object({ name: v.string(), example })),
  buttons: v.array(
    v.object({
      index: v.pipe(v.number(), v.integer(), v.minValue(0)),
      type: v.picklist(['url', 'quick_reply', 'copy_code']),
      title: v.string(),
      example,
      required: v.boolean(),
    }),
  ),
});
export type TemplateParameters = v.InferOutput<typeof TemplateParametersSchema>;

export const TemplateSchema = v.object({
  id,
  name: v.string(),
  language: v.string(),
  /** The network's own upper-case words. */
  category: v.string(),
  status: v.string(),
  quality: v.nullable(v.string()),
  parameters: TemplateParametersSchema,
  /** The network's own form, unchanged. */
  components: v.array(v.record(v.string(), v.unknown())),
});
export type Template = v.InferOutput<typeof TemplateSchema>;

export const ListTemplatesQuery = requestObject({
  channelId: v.optional(idText),
  /** The network's word, in any case. */
  status: v.optional(anyText),
  query: v.optional(anyText),
  ...pageEntries,
});

export const ListTemplatesAnswer = v.object({
  data: v.array(TemplateSchema),
  ...pageSiblings,
  /** Why there are no templates; null where there are. */
  reason: v.nullable(v.string()),
});
