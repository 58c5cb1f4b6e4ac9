/** Search and filters of "Contatos". They are part of the address. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { query } from '../base/call.ts';
import { Form, Select } from '../base/parts.tsx';
import { go } from '../base/router.ts';
import { useTagOptions } from '../people/use-tags.ts';
import { TEXT } from '../sentences.ts';

const { contacts, people } = TEXT;
const CONSENTS = ['', 'yes', 'no', 'none'] as const;

export interface ContactFilters {
  readonly query: string;
  readonly tag: string;
  readonly consent: (typeof CONSENTS)[number];
}

export const NO_FILTERS: ContactFilters = { query: '', tag: '', consent: '' };

export function filtersIn(search: string): ContactFilters {
  const entries = new URLSearchParams(search);
  return {
    query: entries.get('query') ?? '',
    tag: entries.get('tag') ?? '',
    consent: CONSENTS.find((each) => each === entries.get('consent')) ?? '',
  };
}

export function isFiltered({ query: text, tag, consent }: ContactFilters): boolean {
  return text !== '' || tag !== '' || consent !== '';
}

interface FiltersProps {
  readonly filters: ContactFilters;
  readonly path: string;
}

export function Filters({ filters, path }: FiltersProps) {
  const [text, setText] = useState(filters.query);
  useLayoutEffect(() => setText(filters.query), [filters.query]);
  const tags = useTagOptions(filters.tag);
  const set = (change: Partial<ContactFilters>) =>
    go(path + query({ ...filters, query: text.trim(), ...change }), 'replace');
  return (
    <search>
      <Form class="search" onSubmit={() => set({})}>
        <input
          class="input"
          type="search"
          aria-label={TEXT.search}
          placeholder={contacts.searchHint}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="button">
          {TEXT.search}
        </button>
      </Form>
      <div class="filters">
        <Select
          aside
          label={people.tag}
          value={filters.tag}
          onValue={(tag) => set({ tag })}
          options={tags}
        />
        <Select
          label={people.optIn}
          value={filters.consent}
          onValue={(value) => set({ consent: CONSENTS.find((each) => each === value) ?? '' })}
          options={CONSENTS.map((each) => [each, people.consents[each]] as const)}
        />
      </div>
    </search>
  );
}
