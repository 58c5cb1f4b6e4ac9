/** Content of a message that is no body of a call, judged as one: the same limits and sentences. */
import * as v from 'valibot';
import type { Issue } from '../failures.ts';
import {
  ContactCardsBody,
  InteractiveBody,
  LocationBody,
  TemplateBody,
} from './message-content.ts';

export type Judged<Read> = { readonly read: Read } | { readonly issues: readonly Issue[] };

/** Degrees may be text: templates render nothing else. */
const degrees = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'string' ? numberIn(value) : value)),
);

function numberIn(text: string): number | string {
  return /^[+-]?\d{1,3}([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text;
}

const Place = v.pipe(v.looseObject({ latitude: degrees, longitude: degrees }), LocationBody);

function judge<Read>(
  schema: v.GenericSchema<unknown, Read>,
  value: unknown,
  at: string,
): Judged<Read> {
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return { read: output };
  return {
    issues: issues.map(({ path, message }) => {
      return { path: [at, ...(path ?? []).map(({ key }) => String(key))].join('.'), message };
    }),
  };
}

/** Paths of issues begin with `at`. */
export const judgeInteractive = (value: unknown, at: string) => judge(InteractiveBody, value, at);
export const judgeLocation = (value: unknown, at: string) => judge(Place, value, at);
export const judgeContacts = (value: unknown, at: string) => judge(ContactCardsBody, value, at);
export const judgeTemplate = (value: unknown, at: string) => judge(TemplateBody, value, at);
