/** Answers of the panel's own rows: their shapes are the browser's concern alone. */
import * as v from 'valibot';

export const ANY_ANSWER = {
  200: { description: 'A resposta.', schema: v.looseObject({}) },
} as const;

/** An answer that holds a list, as the gateway reads it to change it. */
export const ListSchema = v.object({ data: v.array(v.looseObject({ id: v.string() })) });
