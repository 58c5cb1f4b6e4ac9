/** The organization's tags, as a filter offers them. */
import { query } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { useRead } from '../base/use-read.ts';
import { TEXT } from '../sentences.ts';

const SHOWN_MAX = 200;

interface Tags {
  readonly data: readonly { readonly name: string }[];
}

/** @param chosen offered too, wherever it stands among them */
export function useTagOptions(chosen: string): readonly (readonly [value: string, text: string])[] {
  const path = `/api/v1/tags${query({ page: 1, limit: SHOWN_MAX })}`;
  const { body } = useRead<Tags>(path, { kinds: ['contact'] });
  const names = (body?.data ?? []).map(({ name }) => name);
  const known = chosen === '' || names.includes(chosen) ? names : [chosen, ...names];
  return [['', TEXT.people.everyTag], ...known.map((name) => [name, isolated(name)] as const)];
}
